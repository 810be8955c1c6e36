/** Filters that are texts in the address, such as `?q=ada`. Others are left out. */
export function readTextFilters<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { [_ in Name]?: string } {
  const filters: { [_ in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    // The router reads "12" in an address as a number.
    if (["string", "number", "boolean"].includes(typeof value) && value !== "") {
      filters[name] = String(value);
    }
  }
  return filters;
}

/** Filters that are times in the address, such as `?from=2026-11-20T09:00:00Z`. */
export function readTimeFilters(search: Record<string, unknown>): { from?: string; to?: string } {
  const { from, to } = readTextFilters(search, ["from", "to"]);
  const isTime = (text: string | undefined) =>
    text !== undefined && !Number.isNaN(Date.parse(text));
  return { ...(isTime(from) && { from }), ...(isTime(to) && { to }) };
}

/** The filters after a change, without those that are not set. */
export function changeFilters<Filters extends object>(
  before: Filters,
  change: { [_ in keyof Filters]?: Filters[_] | "" | undefined },
): Filters {
  const entries = Object.entries({ ...before, ...change });
  // Only members were left out, and every member is optional.
  return Object.fromEntries(
    entries.filter(([, value]) => value !== "" && value !== false && value !== undefined),
  ) as Filters;
}

/** Whether every word of the typed text is in one of the texts. */
export function matchesText(
  typed: string | undefined,
  texts: ReadonlyArray<string | null>,
): boolean {
  if (typed === undefined) return true;
  const all = texts.join("\n").toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
