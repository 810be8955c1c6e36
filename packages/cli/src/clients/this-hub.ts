import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { CreatedToken, Token } from "@hub/contract/token.ts";
import type { Hub } from "@hub/server/hub.ts";
import { toDefaultBaseUrl } from "@hub/server/lib/network/bind-host.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toNoUserError } from "../errors/no-user-error.ts";
import type { EntryTarget } from "./own-entry.ts";

/** Ends the names of tokens that an installation creates, which an uninstallation revokes. */
const nameEnd = " (hub mcp install)";

/** The hub whose entries are written, as they name it. */
export type ThisHub = {
  /** The program's name, as users type it. */
  program: string;
  dataDir: string;
  mcpUrl: string;
  /** Null if the data folder has no database, and so no tokens. */
  tokens: EntryTokens | null;
};

/** The tokens in clients' files. */
export type EntryTokens = {
  find(text: string): Promise<Token | null>;
  /** Throws if there is no such user. */
  checkUser(email: string): Promise<void>;
  create(email: string, client: string): Promise<CreatedToken>;
  revoke(id: string): Promise<void>;
};

/**
 * Opens the hub of a folder for the time of the work. Creates no data folder. Throws if the user of
 * `tokensOf` does not exist.
 */
export async function withThisHub<Result>(
  cli: Cli,
  command: Command,
  { folder, tokensOf }: { folder: string; tokensOf: string | null },
  work: (hub: ThisHub) => Promise<Result>,
): Promise<Result> {
  const { config } = await cli.loadConfig(command, { cwd: folder });
  const { dataDir } = config;
  const { hasStore } = await import("@hub/server/store/has-store.ts");
  if (!hasStore(config)) {
    if (tokensOf !== null) throw toNoUserError(cli.name, tokensOf, dataDir);
    const baseUrl = config.baseUrl ?? toDefaultBaseUrl(config.host, config.port);
    return await work({ program: cli.name, dataDir, mcpUrl: `${baseUrl}/mcp`, tokens: null });
  }
  const { hub } = await cli.openHub(command, "cli", { cwd: folder });
  try {
    const mcpUrl = `${await hub.findServedBaseUrl()}/mcp`;
    const tokens = await openTokens(hub);
    if (tokensOf !== null) await tokens.checkUser(tokensOf);
    return await work({ program: cli.name, dataDir, mcpUrl, tokens });
  } finally {
    await hub.close();
  }
}

/** Whether an entry connects to this hub. */
export async function isOwnTarget(hub: ThisHub, target: EntryTarget): Promise<boolean> {
  if (target.kind === "stdio") return toRealPath(target.dataDir) === toRealPath(hub.dataDir);
  if (target.kind === "other") return false;
  // The address may have changed since the entry was written.
  if (target.url === hub.mcpUrl) return true;
  return target.token !== null && (await hub.tokens?.find(target.token)) != null;
}

/** Follows links, also to a folder that does not exist yet. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toRealPath(parent), basename(path));
  }
}

/** Whether the installation created this token. Others may be in use elsewhere. */
export function isOfInstallation(token: Token): boolean {
  return token.name.endsWith(nameEnd);
}

async function openTokens({ services }: Hub): Promise<EntryTokens> {
  const { createToken, findTokenByText, revokeToken } = await import(
    "@hub/server/services/users/manage-tokens.ts"
  );
  const { commandLineActor } = await import("@hub/server/identity/local-admin.ts");
  const { createLookups } = await import("../look-ups/look-up-names.ts");
  const lookups = createLookups(services.store);
  return {
    find: (text) => findTokenByText(services, text),
    async checkUser(email) {
      await lookups.findUser(email);
    },
    async create(email, client) {
      const { id } = await lookups.findUser(email);
      const input = { name: `${client}${nameEnd}`, scope: "mcp" } as const;
      return await createToken(services, commandLineActor, id, input);
    },
    async revoke(id) {
      await revokeToken(services, commandLineActor, id);
    },
  };
}
