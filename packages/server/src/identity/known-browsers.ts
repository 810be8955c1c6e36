import { createHash } from "node:crypto";
import { z } from "zod";
import { openAtRest, sealAtRest } from "../secrets/at-rest/at-rest.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Db } from "../store/database/database.ts";
import { findPassword } from "../store/users/passwords-table.ts";

type KnownBrowserDeps = { db: Db; ring: Pick<RingHolder, "current">; now: () => number };

const knownSchema = z.strictObject({
  id: z.uuid(),
  knownAt: z.number(),
  /** A mark of the current password hash, so that a new password makes the browser unknown. */
  password: z.string(),
});

/** How long a browser stays known after its last sign-in. */
export const knownMsMax = 180 * 86_400_000;
/** Maximum number of accounts for which one browser is known. */
const accountsMax = 4;
const charsMax = 2048;

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

/**
 * Marks browsers in which a user signed in, by a sealed cookie that outlives the session. The
 * cookie gives no access. It has its own counter of wrong passwords, so that strangers cannot use
 * up the user's attempts.
 */
export function createKnownBrowsers({ db, ring, now }: KnownBrowserDeps) {
  /**
   * Null for a mark of another account, and for one that is forged, expired or of an old password.
   */
  function open(mark: string, userId: string, hash: string | null): string | null {
    try {
      const sealed = Buffer.from(mark, "base64url");
      const text = openAtRest(ring.current(), toLocation(userId), sealed);
      const { id, knownAt, password } = knownSchema.parse(JSON.parse(text));
      const isValid = knownAt + knownMsMax > now() && password === toFingerprint(hash);
      return isValid ? id : null;
    } catch {
      return null;
    }
  }

  return {
    /** The browser's id, if this user signed in there with the current password. */
    find(cookie: string | null, user: { id: string; hash: string | null }): string | null {
      for (const mark of toMarks(cookie)) {
        const id = open(mark, user.id, user.hash);
        if (id !== null) return id;
      }
      return null;
    },

    /** The new value of the cookie, for a browser in which this user is signed in. */
    async remember(cookie: string | null, userId: string): Promise<string> {
      const hash = (await findPassword(db, userId))?.hash ?? null;
      const marks = toMarks(cookie);
      const own = marks.find((mark) => open(mark, userId, hash) !== null);
      const id = own === undefined ? crypto.randomUUID() : open(own, userId, hash);
      const known = { id, knownAt: now(), password: toFingerprint(hash) };
      const sealed = sealAtRest(ring.current(), toLocation(userId), JSON.stringify(known));
      const others = marks.filter((mark) => mark !== own).slice(0, accountsMax - 1);
      return [Buffer.from(sealed).toString("base64url"), ...others].join(".");
    },
  };
}

function toMarks(cookie: string | null): string[] {
  if (cookie === null || cookie.length > charsMax) return [];
  return cookie.split(".", accountsMax);
}

function toLocation(userId: string) {
  return { table: "known-browser", row: userId, field: "cookie" };
}

function toFingerprint(hash: string | null): string {
  return createHash("sha256")
    .update(`hub-known-browser-v1 ${hash ?? ""}`)
    .digest("base64url");
}
