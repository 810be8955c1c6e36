/** The time in an id, which is a UUID of version 7; epoch ms. */
export function toIdMs(id: string): number {
  return Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16);
}

/** The ids made at a time or later are not before this text. */
export function toFirstId(epochMs: number): string {
  const hex = Math.max(0, Math.trunc(epochMs)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}`;
}
