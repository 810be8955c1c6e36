/** The characters of a JSON value, by the texts and the number of values in it, without writing it. */
export function countChars(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let chars = 2;
  if (Array.isArray(value)) {
    for (const item of value) chars += countChars(item) + 1;
    return chars;
  }
  for (const [name, member] of Object.entries(value)) {
    chars += name.length + 4 + countChars(member);
  }
  return chars;
}
