import type { ConnectorDefinition } from "@hub/connector";
import { loadConfig } from "@hub/server/config.ts";
import { createHub, type Hub } from "@hub/server/hub.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { createLog } from "@hub/server/lib/logs/create-log.ts";
import { createLogStream } from "@hub/server/lib/logs/log-stream.ts";
import { makeFirstAdmin } from "@hub/server/services/users/first-admin.ts";
import { createToken } from "@hub/server/services/users/manage-tokens.ts";
import { addUser } from "@hub/server/services/users/manage-users.ts";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";
import { startCommandProcess } from "./command-process.ts";
import { createDataFolder } from "./data-folder.ts";
import { toHubEnv, withoutCallLimits } from "./run-cli.ts";
import type { HubOptions, RunningHub } from "./start-hub.ts";

/** A server in the process of the test. Commands run in another one, as beside any server. */
export type HubHere = Omit<
  RunningHub,
  "pid" | "stdout" | "makeManageToken" | "cliAlone" | "stop" | "kill"
> & {
  hub: Hub;
  /** A token of a user, or of the first admin, that opens the management API. */
  makeManageToken(email?: string): Promise<string>;
};

type HubHereOptions = Pick<HubOptions, "env" | "dataDir" | "hasCallLimits" | "main"> & {
  connectors?: readonly ConnectorDefinition[];
};

/**
 * Does what `startHub` does, in a third of its processor time: for tests of what a server answers. It reads no environment but
 * `env`, its log is `stderr`, and the hash of the first admin's password is cheap. `main` is the program of its commands.
 */
export async function openHubHere(options: HubHereOptions = {}): Promise<HubHere> {
  await using opening = new AsyncDisposableStack();
  const dataDir = options.dataDir ?? opening.use(await createDataFolder()).path;
  const { main, connectors = [] } = options;
  const commandOptions = {
    dataDir,
    ...(main && { main }),
    ...(options.env && { env: options.env }),
  };
  const limits = options.hasCallLimits === true ? {} : withoutCallLimits;
  const env = toHubEnv({ ...commandOptions, env: { ...limits, ...options.env } });
  if (!env.HUB_DATABASE_URL) await layDatabase(dataDir);
  const { config } = loadConfig({ env, cwd: dataDir });
  const lines: string[] = [];
  const decoder = new TextDecoder();
  const stream = createLogStream({
    write(bytes) {
      lines.push(decoder.decode(bytes, { stream: true }));
      return bytes.length;
    },
  });
  const log = createLog(config.logLevel, { stream });
  const hub = await createHub({ config, kind: "serve", log, connectors });
  opening.defer(() => hub.close());
  const { port } = await hub.serve();
  const { services } = hub;
  const firstAdmin = await makeFirstAdmin({
    ...services,
    passwords: { ...services.passwords, hash: hashCheaply },
  });
  const commands = opening.use(startCommandProcess(commandOptions));
  const owned = opening.move();
  const addToken = (userId: string, name: string, scope: "mcp" | "manage") =>
    createToken(services, commandLineActor, userId, { name, scope });

  return {
    hub,
    url: `http://127.0.0.1:${port}`,
    port,
    dataDir,
    adminToken() {
      if (firstAdmin === null) throw new Error("This start made no admin.");
      return firstAdmin.token;
    },
    async makeManageToken(email = "admin@localhost") {
      const user = await findUserByEmail(services.store.db, email);
      if (user === null) throw new Error(`There is no user "${email}".`);
      return (await addToken(user.id, "manage", "manage")).token;
    },
    stderr: () => lines.join(""),
    async cli(...argv) {
      const result = await commands.run({ argv });
      if (result.exitCode !== 0) throw new Error(`hub ${argv.join(" ")}: ${result.stderr}`);
      return result;
    },
    tryCli: (argv, extra) => commands.run({ argv, ...extra }),
    async addUser(email, { tags = [], admin = false } = {}) {
      const role = admin ? "admin" : "user";
      const { id } = await addUser(services, commandLineActor, { email, tags, role });
      const made = await addToken(id, "test", "mcp");
      return { email, token: made.token, tokenId: made.id };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Each hash names its cost, so that any hub can verify it. */
export const hashCheaply = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
