/**
 * The encodings of a secret that clients, logs and files must not contain: plain, in JSON, in URLs, and in
 * base64 at each of its three alignments.
 */
export function toEncodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => toBase64Cores(bytes, offset));
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, escaped, encodeURIComponent(secret), ...base64])];
}

/** The characters that contain only bits of the secret, in both alphabets. */
function toBase64Cores(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((padded.length * 8) / 6);
  return [padded.toString("base64"), padded.toString("base64url")].map((text) =>
    text.slice(first, end),
  );
}
