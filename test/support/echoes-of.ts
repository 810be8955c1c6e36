/**
 * Every form of a secret that must not be found in anything a client, a log or a file may hold: as
 * it is, as JSON and URLs write it, and as base64 has it at each of its three alignments.
 */
export function toEchoes(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => toBase64Cores(bytes, offset));
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, escaped, encodeURIComponent(secret), ...base64])];
}

/** The characters that hold nothing but bits of the secret, in both alphabets. */
function toBase64Cores(bytes: Buffer, offset: number): string[] {
  const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((padded.length * 8) / 6);
  return [padded.toString("base64"), padded.toString("base64url")].map((text) =>
    text.slice(first, end),
  );
}
