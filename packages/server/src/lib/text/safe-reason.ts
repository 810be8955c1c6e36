import { isAbsolute } from "node:path";

/**
 * The reason of a failure in words that any client may see. System errors of files and sockets contain
 * paths, so only their code is shown; the log has the rest.
 */
export function toSafeReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return isFileError(thrown) ? `the system reports ${thrown.code} for a file` : thrown.message;
}

/** Whether an error of Node or Bun comes from the file system or a socket in it. */
export function isFileError(thrown: unknown): thrown is Error & { code: string } {
  if (!(thrown instanceof Error) || !("code" in thrown) || typeof thrown.code !== "string") {
    return false;
  }
  // For requests, `path` is the URL, which the caller knows.
  return "path" in thrown && typeof thrown.path === "string" && isAbsolute(thrown.path);
}
