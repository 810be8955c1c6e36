const units = [
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
  ["KiB", 1024],
] as const;

/**
 * A number of bytes, for messages: in the largest unit of which it is a number with at most one decimal, else in bytes. Nothing is
 * rounded, so that a limit in a message is the limit.
 *
 * @example toBytesText(1_048_576) // "1 MiB"
 * @example toBytesText(1_000) // "1000 bytes"
 */
export function toBytesText(bytes: number): string {
  for (const [name, size] of units) {
    if (bytes >= size && (bytes * 10) % size === 0) return `${bytes / size} ${name}`;
  }
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
}
