export type StatementName = { operation: string; table: string | null };

/** More texts than the hub has; texts with lists of different lengths share no entry. */
const namesMax = 1_000;
/** A statement names its table near its beginning; large ones are not searched further. */
const searchedChars = 4_000;

const names = new Map<string, StatementName>();

/** The kind and the main table of a statement, such as `SELECT` and `users`. Nothing else of it. */
export function nameStatement(text: string): StatementName {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = readName(text.slice(0, searchedChars));
  if (names.size >= namesMax) names.clear();
  names.set(text, name);
  return name;
}

const target = /\b(?:insert\s+into|delete\s+from|update)\s+"?(\w+)"?/i;
const source = /\bfrom\s+"?([a-z_]\w*)\b"?(?!\s*[(~])/i;

function readName(text: string): StatementName {
  const [first = ""] = /[a-z]+/i.exec(text) ?? [];
  const operation = first.toUpperCase();
  if (!statements.has(operation)) return { operation: "OTHER", table: null };
  if (operation === "SELECT") return { operation, table: findSource(text) };
  if (operation !== "WITH") return { operation, table: target.exec(text)?.[1] ?? null };
  // A statement that begins with a common table expression does what its first change does.
  const change = target.exec(text);
  if (change === null) return { operation: "SELECT", table: source.exec(text)?.[1] ?? null };
  const [verb = ""] = /[a-z]+/i.exec(change[0]) ?? [];
  return { operation: verb.toUpperCase(), table: change[1] ?? null };
}

/** The table of the statement itself, without what is in parentheses, or if it has none, that of its first subquery. */
function findSource(text: string): string | null {
  let outer = text;
  for (let depth = 0; depth < depthMax; depth += 1) outer = outer.replace(/\([^()]*\)/g, "~");
  return (source.exec(outer) ?? source.exec(text))?.[1] ?? null;
}

const depthMax = 8;

const statements = new Set([
  ...["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA"],
  ...["SET", "LISTEN", "NOTIFY"],
]);
