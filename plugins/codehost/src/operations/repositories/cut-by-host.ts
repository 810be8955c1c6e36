import { isJsonObject, type Json } from "@hub/connector";
import type { HostAnswer } from "../../request-codehost.ts";

/** Adds a `note` if the host sent only the first files or commits. */
export function addMissingNote(shown: Json, { json, headers }: HostAnswer): Json {
  if (!isJsonObject(shown) || !isJsonObject(json)) return shown;
  const notes = [findCommitsLeft(json), findFilesLeft(json, headers)].filter(
    (note) => note !== null,
  );
  return notes.length === 0 ? shown : { ...shown, note: notes.join(" ") };
}

function findCommitsLeft({ commits, total_commits: total }: Record<string, Json>): string | null {
  if (!Array.isArray(commits) || typeof total !== "number" || total <= commits.length) return null;
  return `${commits.length} of ${total} commits are listed. list_commits with head as sha lists all.`;
}

const filesMax = 300;

function findFilesLeft({ files }: Record<string, Json>, headers: Headers): string | null {
  if (!Array.isArray(files)) return null;
  const isCut = files.length >= filesMax || /rel="?next/.test(headers.get("link") ?? "");
  return isCut ? `Only the first ${files.length} changed files are here.` : null;
}
