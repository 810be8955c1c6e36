/**
 * Texts of about the given size that are expensive to process, each for one kind of work. A text input gets
 * the text itself, a JSON input gets it as a string, a key or a value.
 */
export const textShapes: Record<string, (bytes: number) => string> = {
  "one letter repeated": (bytes) => "a".repeat(bytes),
  "pairs repeated": (bytes) => fill("a=1&", bytes),
  "only separators": (bytes) => "&".repeat(bytes),
  "percent codes": (bytes) => fill("%2525", bytes),
  "mixed escapes": (bytes) => fill('\\u0041&amp;%41\\"', bytes),
  backslashes: (bytes) => "\\".repeat(bytes),
  quotes: (bytes) => '"'.repeat(bytes),
  spaces: (bytes) => " ".repeat(bytes),
  "dots and slashes": (bytes) => fill("../", bytes),
  "tokens of the hub": (bytes) => fillCounting("hub_pat_", 32, bytes),
  "prefixes of value tokens": (bytes) => fill("hub_enc_", bytes),
  "forged value tokens": (bytes) => fillCounting("hub_enc_Acm8aCoAAAAX", 44, bytes),
  "nested arrays as text": (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "wide characters": (bytes) => fill("é→𝄞", bytes / 3),
  words: (bytes) => fillCounting("w", 6, bytes),
};

/** JSON values of about the given size as text. */
export const jsonShapes: Record<string, (bytes: number) => unknown> = {
  "many keys": (bytes) => toRecord(bytes / 14, (at) => [`key${at}`, 1]),
  "many long keys": (bytes) => toRecord(bytes / 110, (at) => [`${"k".repeat(96)}${at}`, 1]),
  "many numbers": (bytes) => Array(Math.floor(bytes / 2)).fill(0),
  "many texts": (bytes) => Array(Math.floor(bytes / 5)).fill("ab"),
  "many objects": (bytes) => Array(Math.floor(bytes / 3)).fill({}),
  "long digits": (bytes) => [JSON.rawJSON("1".repeat(bytes))],
  "nested to the limit": (bytes) => Array(Math.floor(bytes / 120)).fill(nest(50)),
  "many secrets": (bytes) =>
    Array.from({ length: Math.floor(bytes / 30) }, (_, at) => `secret-number-${at}-0123456789`),
};

function fill(part: string, bytes: number): string {
  return part.repeat(Math.ceil(bytes / part.length)).slice(0, bytes);
}

/** Distinct parts: `prefix` and a number with the given count of digits. */
function fillCounting(prefix: string, digits: number, bytes: number): string {
  const count = Math.max(1, Math.floor(bytes / (prefix.length + digits + 1)));
  const parts = Array.from(
    { length: count },
    (_, at) => `${prefix}${at.toString(16).padStart(digits, "0")}`,
  );
  return parts.join(" ");
}

function toRecord(count: number, toEntry: (at: number) => [string, unknown]): object {
  return Object.fromEntries(
    Array.from({ length: Math.max(1, Math.floor(count)) }, (_, at) => toEntry(at)),
  );
}

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
