type Names<T extends string> = Readonly<Record<T, string>>;

/** The values that have names, in the order of the names. */
function listValues<T extends string>(names: Names<T>): T[] {
  // A record of all values has no other keys.
  return Object.keys(names) as T[];
}

/** The values with their names, as the options of a filter. */
export function toOptions<T extends string>(names: Names<T>): Array<{ value: T; label: string }> {
  return listValues(names).map((value) => ({ value, label: names[value] }));
}

/** The value if it is one of those with names. */
export function findValue<T extends string>(names: Names<T>, value: unknown): T | undefined {
  return listValues(names).find((one) => one === value);
}
