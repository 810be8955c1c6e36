import { z } from "zod";
import { openAtRest, sealAtRest } from "../../secrets/at-rest.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";

/** A sign-in that was begun: what only the browser that began it can bring back. */
const attemptSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  destination: z.string(),
  begunAt: z.number(),
});

export type Attempt = z.infer<typeof attemptSchema>;

/** How long somebody may take at the issuer. */
export const attemptMsMax = 600_000;

/** What it is sealed for: it opens as nothing else, and nothing else opens as it. */
const place = { table: "single-sign-on", row: "attempt", field: "cookie" };
const charsMax = 4096;

/** An attempt as the text of a cookie, which its bearer can neither read nor make. */
export function sealAttempt(ring: KeyRing, attempt: Attempt): string {
  return Buffer.from(sealAtRest(ring, place, JSON.stringify(attempt))).toString("base64url");
}

/** Null for a text that the hub did not seal. */
export function findAttempt(ring: KeyRing, sealed: string): Attempt | null {
  if (sealed.length > charsMax) return null;
  try {
    const text = openAtRest(ring, place, Buffer.from(sealed, "base64url"));
    return attemptSchema.parse(JSON.parse(text));
  } catch {
    // Forged, altered, or of a key that is gone: each is answered the same.
    return null;
  }
}
