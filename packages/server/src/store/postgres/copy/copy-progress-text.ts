import type { CopiedValue } from "../../copy/copied-table.ts";
import type { CopyProgress } from "../../copy/copy-tables.ts";

/** The progress of a copy as JSON, whose integers keep their digits. */
export function writeProgress(progress: CopyProgress): string {
  return JSON.stringify(progress, (_key, value: unknown) => encodeValue(value));
}

function encodeValue(value: unknown): unknown {
  if (typeof value === "bigint") return { integer: value.toString() };
  return value instanceof Uint8Array ? { bytes: value.toHex() } : value;
}

/** Reads what `writeProgress` has written. */
export function readProgress(text: string): CopyProgress {
  const stored = JSON.parse(text) as {
    complete: string[];
    last: { table: string; key: Record<string, EncodedValue> } | null;
  };
  const { complete, last } = stored;
  if (last === null) return { complete, last };
  const key = Object.entries(last.key).map(([name, value]) => [name, decodeValue(value)]);
  return { complete, last: { table: last.table, key: Object.fromEntries(key) } };
}

type EncodedValue = string | null | { integer: string } | { bytes: string };

function decodeValue(value: EncodedValue): CopiedValue {
  if (value === null || typeof value === "string") return value;
  return "integer" in value ? BigInt(value.integer) : Uint8Array.fromHex(value.bytes);
}
