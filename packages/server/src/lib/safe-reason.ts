import { isAbsolute } from "node:path";

/**
 * Why something failed, in words that may reach any client. What the system says of files and sockets
 * names their paths, so of that only the code is told; the log has the rest.
 */
export function toSafeReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return isFileError(thrown) ? `the system reports ${thrown.code} for a file` : thrown.message;
}

/** A failure of the file system, or of a socket in it, as Node and Bun throw it. */
export function isFileError(thrown: unknown): thrown is Error & { code: string } {
  if (!(thrown instanceof Error) || !("code" in thrown) || typeof thrown.code !== "string") {
    return false;
  }
  // A request's failure has its address there, which the caller knows.
  return "path" in thrown && typeof thrown.path === "string" && isAbsolute(thrown.path);
}
