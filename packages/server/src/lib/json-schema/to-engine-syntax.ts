/** What `\s` is in the patterns of JSON Schema; for the engine, it is a part of it. */
const blanks = String.raw`\t-\r \x{A0}\x{FEFF}\x{2028}\x{2029}\p{Zs}`;

/** A pattern of JSON Schema, which follows ECMAScript, for the engine of linear time. */
export function toEngineSyntax(source: string): string {
  let isInClass = false;
  return source.replace(/\\.|[[\]]/gsu, (part) => {
    if (part === "[") isInClass = true;
    if (part === "]") isInClass = false;
    if (part === "\\s") return isInClass ? blanks : `[${blanks}]`;
    // In a class, it stays the engine's own.
    if (part === "\\S" && !isInClass) return `[^${blanks}]`;
    return part;
  });
}
