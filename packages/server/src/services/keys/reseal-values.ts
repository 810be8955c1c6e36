import { HubError, toHubError } from "../../errors.ts";
import { findKeyId, openAtRest, sealAtRest } from "../../secrets/at-rest.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import type { Db } from "../../store/database.ts";
import {
  listRows,
  type ResealedValue,
  type RowRecord,
  type StoredValue,
} from "../../store/rows.ts";

/** The number of stored secrets that are sealed with each key, by key id. */
export async function countSealedValues(db: Db): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const row of await listRows(db)) {
    for (const { sealed } of row.values) {
      const id = sealed && findKeyId(sealed);
      if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

export type LostSecret = { label: string; key: string };

/** The stored secrets that none of these keys opens, by row and field. */
export async function listLostSecrets(db: Db, keys: KeyRing["keys"]): Promise<LostSecret[]> {
  return (await listRows(db)).flatMap(({ label, values }) =>
    values.flatMap(({ key, sealed }) => {
      const id = sealed && findKeyId(sealed);
      return id === null || keys.has(id) ? [] : [{ label, key }];
    }),
  );
}

/**
 * Seals all values of other keys with the sealing key, but stores nothing. Throws if a value cannot
 * be opened.
 */
export async function resealValues(db: Db, ring: KeyRing): Promise<ResealedValue[]> {
  const rows = await listRows(db);
  return rows.flatMap((row) => row.values.flatMap((stored) => resealValue(ring, row, stored)));
}

function resealValue(ring: KeyRing, row: RowRecord, { key, sealed }: StoredValue): ResealedValue[] {
  if (sealed === null || findKeyId(sealed) === ring.sealing.id) return [];
  const location = { table: "row_values", row: row.id, field: key };
  const text = openForRow(row, () => openAtRest(ring, location, sealed));
  return [{ rowId: row.id, key, from: sealed, to: sealAtRest(ring, location, text) }];
}

/** Names the row whose secret is lost, so that an admin can set the secret again. */
function openForRow(row: RowRecord, open: () => string): string {
  try {
    return open();
  } catch (thrown) {
    const { code, message } = toHubError(thrown);
    throw new HubError(code, `Row "${row.label}" (${row.id}): ${message}`, { cause: thrown });
  }
}
