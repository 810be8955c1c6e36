import { HubError, toHubError } from "../../errors.ts";
import { findKeyId, openAtRest, sealAtRest } from "../../secrets/at-rest.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import type { Db } from "../../store/database.ts";
import { listRows, putRowValues, type RowRecord, type StoredValue } from "../../store/rows.ts";

/** How many stored secrets each key holds, by key id. */
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

/** Reseals all values of other keys with the sealing key; returns their number. */
export async function resealValues(db: Db, ring: KeyRing, at: number): Promise<number> {
  let resealed = 0;
  for (const row of await listRows(db)) {
    const values = row.values.flatMap((stored) => resealValue(ring, row, stored));
    if (values.length > 0) await putRowValues(db, row.id, values, at);
    resealed += values.length;
  }
  return resealed;
}

function resealValue(ring: KeyRing, row: RowRecord, { key, sealed }: StoredValue): StoredValue[] {
  if (sealed === null || findKeyId(sealed) === ring.sealing.id) return [];
  const place = { table: "row_values", row: row.id, field: key };
  const text = openForRow(row, () => openAtRest(ring, place, sealed));
  return [{ key, value: null, sealed: sealAtRest(ring, place, text) }];
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
