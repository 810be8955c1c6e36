import { Database } from "bun:sqlite";

/**
 * Removes the processes of the former folder from a restored database. Their heartbeats may be seconds
 * old, and the first start would wait for them instead of taking up what they left.
 */
export function forgetProcesses(path: string): void {
  const database = new Database(path, { readwrite: true });
  try {
    database.run("delete from instances");
  } finally {
    database.close(true);
  }
}
