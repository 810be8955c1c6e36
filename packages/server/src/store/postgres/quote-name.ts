/** For names of the hub's own tables and columns. */
export function quoteName(name: string): string {
  return `"${name}"`;
}
