export type Members = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
