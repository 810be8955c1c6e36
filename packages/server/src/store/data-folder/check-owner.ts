import { type Stats, statSync } from "node:fs";
import { HubError } from "../../errors.ts";

type User = {
  /** Undefined on Windows, which has no such owners. */
  uid: number | undefined;
};

/**
 * Refuses a data folder or a file in it that belongs to another user, as ssh refuses such keys: that user could replace its keys
 * and its database. Those of root are trusted, and root may use everyone's, as in a container. A missing one is fine.
 */
export function checkOwner(path: string, { uid }: User = { uid: process.getuid?.() }): void {
  const stats = readStats(path);
  if (stats === null || isTrusted(stats, uid)) return;
  throw new HubError(
    "bad_configuration",
    "The hub's data folder belongs to another user of its machine.",
    {
      localMessage: `${path} belongs to another user (uid ${stats.uid}; this program runs as ${uid}), who could replace its keys. Run the command as that user, or choose another folder with --data-dir or HUB_DATA_DIR.`,
    },
  );
}

/** Null also if the path cannot be reached, which its use says better. */
function readStats(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function isTrusted({ uid: owner }: Pick<Stats, "uid">, uid: number | undefined): boolean {
  return uid === undefined || uid === 0 || owner === 0 || owner === uid;
}
