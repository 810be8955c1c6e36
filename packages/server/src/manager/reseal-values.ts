import { findKeyId, openAtRest, sealAtRest } from "../secrets/at-rest.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { listRows, putRowValues, type StoredValue } from "../store/rows.ts";
import type { Db } from "../store/tables.ts";

/** How many stored secrets each key holds, by key id. */
export async function countSealedValues(db: Db): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const row of await listRows(db)) {
    for (const { sealed } of row.values) {
      if (sealed === null) continue;
      const id = findKeyId(sealed);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

/** Seals with the sealing key whatever another key holds; returns how many values that were. */
export async function resealValues(db: Db, ring: KeyRing): Promise<number> {
  let resealed = 0;
  for (const row of await listRows(db)) {
    const values = row.values.flatMap((stored) => resealValue(ring, row.id, stored));
    if (values.length > 0) await putRowValues(db, row.id, values);
    resealed += values.length;
  }
  return resealed;
}

function resealValue(ring: KeyRing, rowId: string, { key, sealed }: StoredValue): StoredValue[] {
  if (sealed === null || findKeyId(sealed) === ring.sealing.id) return [];
  const place = { table: "row_values", row: rowId, field: key };
  const text = openAtRest(ring, place, sealed);
  return [{ key, value: null, sealed: sealAtRest(ring, place, text) }];
}
