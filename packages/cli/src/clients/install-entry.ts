import { HubError } from "@hub/server/errors.ts";
import type { Client, Entry, StdioServer } from "./client-definition.ts";
import { type ClientReport, toReport } from "./client-report.ts";
import { editConfigFile, readConfigFile } from "./config-files/config-file.ts";
import {
  type AddedEntry,
  addEntry,
  type EntrySpot,
  findEntry,
} from "./config-files/entry-edits.ts";
import { toLineDiff } from "./config-files/line-diff.ts";
import { endToken } from "./end-token.ts";
import { recordMadeFolder } from "./made-folders.ts";
import { type EntryTarget, readTarget } from "./own-entry.ts";
import { type EntryTokens, isOwnTarget, type ThisHub } from "./this-hub.ts";

/** How the client is to reach the hub. */
export type Connection =
  | { kind: "stdio"; server: StdioServer }
  /** With a token of this user. */
  | { kind: "http"; email: string; tokens: EntryTokens };

type InstallRequest = {
  client: Client;
  file: string;
  name: string;
  connection: Connection;
  replaces: boolean;
  isDryRun: boolean;
  env: Readonly<Record<string, string | undefined>>;
};

/** Writes the entry of this hub into a client's file. */
export async function installEntry(hub: ThisHub, request: InstallRequest): Promise<ClientReport> {
  const { client, file, name, isDryRun } = request;
  const text = await readConfigFile(file);
  const old = readTarget(findEntry({ client, name, isOwn: () => true }, text));
  const isOwn = await isOwnTarget(hub, old);
  const spot = {
    client,
    name,
    isOwn: (target: EntryTarget) => isOwn && Bun.deepEquals(target, old),
  };
  const kept = await findValidToken(request.connection, { hub, old });
  if (isDryRun) {
    const entry = toEntry(hub, request, kept ?? "hub_pat_…");
    return previewEntry(spot, { ...request, text, entry });
  }

  const token = await makeToken(request, kept);
  const isSecret = token !== null;
  try {
    const entry = toEntry(hub, request, token?.text ?? "");
    let result: AddedEntry | null = null;
    const edit = (current: string | null) => {
      result = addEntry(spot, current, entry, request);
      return result.text;
    };
    const { backup, isChanged, madeFolder } = await editConfigFile(file, edit, { isSecret });
    if (madeFolder !== undefined) await recordMadeFolder(request.env, file, madeFolder);
    const { outcome: added, text: written } = requireAdded(result);
    // A file that all users could read is changed even if its text stays.
    const outcome = isChanged && added === "unchanged" ? "updated" : added;
    const notes = findDoubts(client, written);
    if (old.kind === "http" && old.token !== null && old.token !== token?.text) {
      notes.push(...(await endToken(hub, old.token)));
    }
    return toReport(client, file, { outcome, backup, notes });
  } catch (thrown) {
    if (token?.isNew === true) await token.revoke();
    throw thrown;
  }
}

/** The token of the old entry, if it still works for the same user and the same address. */
async function findValidToken(
  connection: Connection,
  { hub, old }: { hub: ThisHub; old: EntryTarget },
): Promise<string | null> {
  if (connection.kind === "stdio" || old.kind !== "http" || old.token === null) return null;
  const found = await connection.tokens.find(old.token);
  if (found === null || found.revoked_at !== null || found.scope !== "mcp") return null;
  if (found.expires_at !== null && Date.parse(found.expires_at) <= Date.now()) return null;
  const isSameUser = found.user.toLowerCase() === connection.email.toLowerCase();
  return isSameUser && old.url === hub.mcpUrl ? old.token : null;
}

type EntryToken = { text: string; isNew: boolean; revoke(): Promise<void> };

async function makeToken(
  { client, connection }: InstallRequest,
  kept: string | null,
): Promise<EntryToken | null> {
  if (connection.kind === "stdio") return null;
  if (kept !== null) return { text: kept, isNew: false, revoke: async () => {} };
  const { email, tokens } = connection;
  const { id, token: text } = await tokens.create(email, client.title);
  return { text, isNew: true, revoke: () => tokens.revoke(id) };
}

function toEntry(hub: ThisHub, { client, connection }: InstallRequest, token: string): Entry {
  if (connection.kind === "stdio") return client.toStdioEntry(connection.server);
  if (client.toHttpEntry === null) throw new HubError("conflict", toNoHttpReason(client));
  return client.toHttpEntry({ url: hub.mcpUrl, headers: { Authorization: `Bearer ${token}` } });
}

export function toNoHttpReason({ title }: Client): string {
  return `${title} starts programs only: its file cannot name a server with a token.`;
}

function previewEntry(
  spot: EntrySpot,
  { client, file, text, entry, replaces }: InstallRequest & { text: string | null; entry: Entry },
): ClientReport {
  const added = addEntry(spot, text, entry, { replaces });
  const diff = added.outcome === "unchanged" ? "" : toLineDiff(text ?? "", added.text);
  return toReport(client, file, {
    outcome: added.outcome,
    diff,
    notes: findDoubts(client, added.text),
  });
}

function findDoubts({ isStrictJson, title }: Client, text: string): string[] {
  if (!isStrictJson || isPlainJson(text)) return [];
  return [`The file has comments or trailing commas. ${title} may refuse it.`];
}

function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ""));
    return true;
  } catch {
    return false;
  }
}

/** The edit runs at least once. */
function requireAdded(added: AddedEntry | null): AddedEntry {
  if (added === null) throw new Error("The edit did not run.");
  return added;
}
