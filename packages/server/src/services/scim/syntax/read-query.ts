/** The query of a list. Unknown parameters are ignored: providers add some to the address. */
export type PageQuery = {
  filter: string | null;
  /** From 0. */
  offset: number;
  limit: number;
};

/** How many a list answers at most, and without `count`. */
export const pageSizeMax = 200;
const pageSize = 100;
const offsetMax = 10_000_000;

export function readPageQuery(query: URLSearchParams): PageQuery {
  const filter = query.get("filter")?.trim() ?? "";
  const start = readNumber(query.get("startIndex")) ?? 1;
  const count = readNumber(query.get("count")) ?? pageSize;
  return {
    filter: filter === "" ? null : filter,
    offset: Math.min(Math.max(start, 1) - 1, offsetMax),
    limit: Math.min(Math.max(count, 0), pageSizeMax),
  };
}

function readNumber(text: string | null): number | null {
  return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : null;
}
