import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";
import { bumpRevision } from "../settings/revision.ts";
import { touchRow } from "./rows-table.ts";

/** A statement has a limited number of parameters. */
const statesAtOnce = 500;

/** False if the row does not exist. */
export function setOperationState(
  db: Db,
  rowId: string,
  operationKey: string,
  enabled: boolean,
  at: number,
): Promise<boolean> {
  return setOperationStates(db, rowId, [operationKey], enabled, at);
}

/** The same for operations with different keys. */
export function setOperationStates(
  db: Db,
  rowId: string,
  operationKeys: readonly string[],
  enabled: boolean,
  at: number,
): Promise<boolean> {
  return transaction(db, async (trx) => {
    if (!(await touchRow(trx, rowId, at))) return false;
    const flag = toFlag(enabled);
    for (let first = 0; first < operationKeys.length; first += statesAtOnce) {
      const part = operationKeys.slice(first, first + statesAtOnce);
      await toKysely(trx)
        .insertInto("operation_states")
        .values(part.map((key) => ({ row_id: rowId, operation_key: key, enabled: flag })))
        .onConflict((conflict) =>
          conflict.columns(["row_id", "operation_key"]).doUpdateSet({ enabled: flag }),
        )
        .execute();
    }
    return true;
  });
}

export function setTypeState(db: Db, connectorKey: string, disabled: boolean): Promise<void> {
  return transaction(db, async (trx) => {
    await toKysely(trx)
      .insertInto("type_states")
      .values({ connector_key: connectorKey, disabled: toFlag(disabled) })
      .onConflict((conflict) =>
        conflict.column("connector_key").doUpdateSet({ disabled: toFlag(disabled) }),
      )
      .execute();
    await bumpRevision(trx);
  });
}

/** Keys of the disabled connector types. */
export async function listDisabledTypes(db: Db): Promise<Set<string>> {
  const types = await toKysely(db)
    .selectFrom("type_states")
    .select("connector_key")
    .where("disabled", "=", 1)
    .execute();
  return new Set(types.map((type) => type.connector_key));
}
