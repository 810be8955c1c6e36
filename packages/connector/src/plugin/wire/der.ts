/** The part of ASN.1's distinguished encoding that certificates need. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

export const sequence = (...parts: Uint8Array[]): Buffer => der(0x30, ...parts);
export const octets = (...parts: Uint8Array[]): Buffer => der(0x04, ...parts);
/** A string of whole bytes. */
export const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);
export const boolean = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));

/** A positive number from its bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return der(0x02, Buffer.from(isNegative ? [0] : []), bytes);
}

/** An object identifier in its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(encodeArc)]));
}

/** A time to the second. RFC 5280 uses another type from 2050 on. */
export function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replace(/[-:T]/g, "");
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2), "ascii"))
    : der(0x18, Buffer.from(digits, "ascii"));
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function encodeArc(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}
