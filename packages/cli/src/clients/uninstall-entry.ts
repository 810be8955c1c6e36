import type { Client } from "./client-definition.ts";
import { type ClientReport, toReport } from "./client-report.ts";
import { editConfigFile, readBackup, readConfigFile } from "./config-files/config-file.ts";
import { findEntry, removeEntry } from "./config-files/entry-edits.ts";
import { toLineDiff } from "./config-files/line-diff.ts";
import { endToken } from "./end-token.ts";
import { removeMadeFolders } from "./made-folders.ts";
import { type EntryTarget, readTarget } from "./own-entry.ts";
import { isOwnTarget, type ThisHub } from "./this-hub.ts";

type UninstallRequest = {
  client: Client;
  file: string;
  name: string;
  isDryRun: boolean;
  env: Readonly<Record<string, string | undefined>>;
};

/** Removes the entry of this hub from a client's file, and revokes the token that it had. */
export async function uninstallEntry(
  hub: ThisHub,
  { client, file, name, isDryRun, env }: UninstallRequest,
): Promise<ClientReport> {
  const text = await readConfigFile(file);
  const old = readTarget(findEntry({ client, name, isOwn: () => true }, text));
  const isOwn = await isOwnTarget(hub, old);
  const spot = {
    client,
    name,
    isOwn: (target: EntryTarget) => isOwn && Bun.deepEquals(target, old),
  };
  const backup = await readOriginal(hub, { client, name, file });
  const { outcome, text: rest } = removeEntry(spot, text, backup);
  if (isDryRun || outcome === "absent") {
    const diff = outcome === "absent" ? "" : toLineDiff(text ?? "", rest ?? "");
    return toReport(client, file, { outcome, ...(isDryRun && { diff }) });
  }
  const edit = (current: string | null) => removeEntry(spot, current, backup).text;
  await editConfigFile(file, edit, { isSecret: false });
  const notes = old.kind === "http" && old.token !== null ? await endToken(hub, old.token) : [];
  if (rest === null) await removeMadeFolders(env, file);
  if (rest === null) notes.push("The file had nothing else and was deleted.");
  return toReport(client, file, { outcome, notes });
}

/**
 * The file before the first entry. An update makes a backup too if there is none, and that one has
 * an entry of this hub.
 */
async function readOriginal(
  hub: ThisHub,
  { client, name, file }: Pick<UninstallRequest, "client" | "name" | "file">,
): Promise<string | null> {
  const backup = await readBackup(file);
  const spot = { client, name, isOwn: () => true };
  try {
    const isOwn = await isOwnTarget(hub, readTarget(findEntry(spot, backup)));
    return isOwn ? removeEntry(spot, backup, null).text : backup;
  } catch {
    // The backup may be any file.
    return backup;
  }
}
