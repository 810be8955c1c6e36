import { HubError } from "@hub/server/errors.ts";
import type { Client, Entry } from "../client-definition.ts";
import { type EntryTarget, keepAdditions, readTarget } from "../own-entry.ts";
import type { ConfigText, EntryPath } from "./config-text.ts";
import { jsonText } from "./json-text.ts";
import { tomlText } from "./toml-text.ts";

/** The place of an entry, and whose entries may be changed there. */
export type EntrySpot = {
  client: Client;
  name: string;
  /** Whether an entry connects to this hub. */
  isOwn(target: EntryTarget): boolean;
};

export type AddedEntry = { text: string; outcome: "installed" | "updated" | "unchanged" };
/** A text of null is a file that is deleted. */
export type RemovedEntry = { text: string | null; outcome: "removed" | "absent" };

/** Returns the entry in a client's file; undefined if there is none. */
export function findEntry({ client, name }: EntrySpot, text: string | null): unknown {
  return toConfigText(client).find(text ?? "", toPath(client, name));
}

/** The text of a file that has only this entry, as users paste it. */
export function printEntry(client: Client, name: string, entry: Entry): string {
  return toConfigText(client).print(toPath(client, name), entry);
}

/** Adds or updates an entry. Throws `conflict` if the name is another server's. */
export function addEntry(
  spot: EntrySpot,
  text: string | null,
  entry: Entry,
  { replaces }: { replaces: boolean },
): AddedEntry {
  const { client, name } = spot;
  const old = findEntry(spot, text);
  const isOwn = old !== undefined && spot.isOwn(readTarget(old));
  if (old !== undefined && !isOwn && !replaces) {
    throw new HubError(
      "conflict",
      `it has another server "${name}"${describe(old)}. Choose another --name, or replace that entry with --replace.`,
    );
  }
  const wanted = isOwn ? keepAdditions(entry, old) : entry;
  if (text !== null && Bun.deepEquals(old, wanted)) return { text, outcome: "unchanged" };
  const changed = toConfigText(client).set(text ?? "", toPath(client, name), wanted);
  return { text: changed, outcome: old === undefined ? "installed" : "updated" };
}

/**
 * Removes an entry. `backup` is the file before the first entry was added: it shows what else was
 * added with the entry. Throws `conflict` if the name is another server's.
 */
export function removeEntry(
  spot: EntrySpot,
  text: string | null,
  backup: string | null,
): RemovedEntry {
  const { client, name } = spot;
  const old = findEntry(spot, text);
  if (text === null || old === undefined) return { text, outcome: "absent" };
  if (!spot.isOwn(readTarget(old))) {
    throw new HubError("conflict", toNotOwnReason(name, readTarget(old)));
  }
  const format = toConfigText(client);
  const path = toPath(client, name);
  if (isSame(text, () => format.set(backup ?? "", path, Object(old)))) {
    return { text: backup, outcome: "removed" };
  }
  const keepsContainer = backup !== null && hasContainer(format, backup, client.container);
  return { text: format.remove(text, path, { keepsContainer }), outcome: "removed" };
}

function toConfigText({ format }: Client): ConfigText {
  return format === "toml" ? tomlText : jsonText;
}

function toPath({ container }: Client, name: string): EntryPath {
  return { container, name };
}

function toNotOwnReason(name: string, target: EntryTarget): string {
  if (target.kind !== "stdio") return `"${name}" is not an entry of this hub. Remove it by hand.`;
  const { dataDir } = target;
  return `"${name}" starts the hub with the data folder ${dataDir}. To remove it, add --data-dir and this folder.`;
}

/** Names the hub of an entry, because two hubs on one machine are easily confused. */
function describe(entry: unknown): string {
  const target = readTarget(entry);
  if (target.kind === "stdio") return ` (a hub with the data folder ${target.dataDir})`;
  // The rest of an address may contain a secret.
  return target.kind === "http" ? ` (at ${URL.parse(target.url)?.host})` : "";
}

/** The backup may be any file. */
function isSame(text: string, make: () => string): boolean {
  try {
    return make() === text;
  } catch {
    return false;
  }
}

function hasContainer(format: ConfigText, backup: string, container: string): boolean {
  try {
    return format.hasContainer(backup, container);
  } catch {
    return true;
  }
}
