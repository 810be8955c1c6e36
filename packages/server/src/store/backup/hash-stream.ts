import { createHash } from "node:crypto";
import { Transform } from "node:stream";

/** Passes bytes on, and has their SHA-256 when they have passed. */
export function createHashStream(): { stream: Transform; digest(): string } {
  const hash = createHash("sha256");
  const stream = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, digest: () => hash.digest("hex") };
}
