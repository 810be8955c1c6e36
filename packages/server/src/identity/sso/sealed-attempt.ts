import { z } from "zod";
import { openAtRest, sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";

/** The state of a sign-in in progress, kept in the cookie of its browser. */
const attemptSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  destination: z.string(),
  begunAt: z.number(),
  /** The person must enter there again who they are. Absent otherwise: servers of the version before do not know it. */
  isFresh: z.literal(true).optional(),
});

export type Attempt = z.infer<typeof attemptSchema>;

/** How long a sign-in at the issuer may take. */
export const attemptMsMax = 600_000;

/** The purpose that it is bound to, so that it cannot be exchanged with other sealed values. */
const location = { table: "single-sign-on", row: "attempt", field: "cookie" };
const charsMax = 4096;

/** An attempt as the text of a cookie that the browser can neither read nor forge. */
export function sealAttempt(ring: KeyRing, attempt: Attempt): string {
  return Buffer.from(sealAtRest(ring, location, JSON.stringify(attempt))).toString("base64url");
}

/** Null for a text that the hub did not seal. */
export function findAttempt(ring: KeyRing, sealed: string): Attempt | null {
  if (sealed.length > charsMax) return null;
  try {
    const text = openAtRest(ring, location, Buffer.from(sealed, "base64url"));
    return attemptSchema.parse(JSON.parse(text));
  } catch {
    // Forged, altered, or of a removed key: the result is the same.
    return null;
  }
}
