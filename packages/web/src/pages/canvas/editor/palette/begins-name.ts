/** Whether a text is the beginning of the type or name of an entry, in any case. */
export function beginsName(
  text: string,
  entries: ReadonlyArray<readonly [type: string, entry: { name: string }]>,
): boolean {
  const typed = text.toLowerCase();
  return entries.some(([type, { name }]) =>
    [type, name.toLowerCase()].some((one) => one.startsWith(typed)),
  );
}
