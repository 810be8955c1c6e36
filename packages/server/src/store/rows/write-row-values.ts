import type { Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { StoredValue } from "./row-record.ts";

/** Sets the given values and leaves the others; one with neither `value` nor `sealed` is removed. */
export async function writeValues(
  trx: Transaction,
  rowId: string,
  values: readonly StoredValue[],
): Promise<void> {
  for (const { key, value, sealed } of values) {
    if (value === null && sealed === null) {
      await toKysely(trx)
        .deleteFrom("row_values")
        .where("row_id", "=", rowId)
        .where("field_key", "=", key)
        .execute();
    } else {
      await toKysely(trx)
        .insertInto("row_values")
        .values({ row_id: rowId, field_key: key, value, sealed })
        .onConflict((conflict) =>
          // Without values of its own, so that statements of a plan can become one.
          conflict.columns(["row_id", "field_key"]).doUpdateSet(({ ref }) => ({
            value: ref("excluded.value"),
            sealed: ref("excluded.sealed"),
          })),
        )
        .execute();
    }
  }
}
