/** RFC 4648, section 6, which the apps for codes use. */
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Without padding: apps do not want it. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet.charAt((value >>> bits) & 31);
    }
    value &= 31;
  }
  return bits > 0 ? text + alphabet.charAt((value << (5 - bits)) & 31) : text;
}
