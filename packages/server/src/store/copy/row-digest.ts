import { toStorableText } from "../database/storable-text.ts";
import type { CopiedRow, CopiedTable, CopiedValue } from "./copied-table.ts";

/** Counts rows and computes a digest of them that does not depend on their order. */
export type RowDigest = {
  add(row: CopiedRow): void;
  read(): TableDigest;
};

export type TableDigest = { rows: number; digest: string };

const modulus = 1n << 256n;

/** The sum of the SHA-256 hashes of all rows: a row that is missing, changed or doubled changes it. */
export function createRowDigest({ columns }: CopiedTable): RowDigest {
  const names = columns.map(({ name }) => name).sort();
  let rows = 0;
  let sum = 0n;
  return {
    add(row) {
      const values = names.map((name) => toCanonical(row[name] ?? null));
      const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(values)).digest("hex");
      sum = (sum + BigInt(`0x${hash}`)) % modulus;
      rows += 1;
    },
    read: () => ({ rows, digest: sum.toString(16).padStart(64, "0") }),
  };
}

/** Integers with all digits, bytes in hex. The first letter distinguishes texts from both. */
function toCanonical(value: CopiedValue): string | null {
  if (value === null) return null;
  if (typeof value === "bigint") return `i${value}`;
  if (typeof value === "string") return `t${toStorableText(value)}`;
  return `b${value.toHex()}`;
}
