import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";
import { bumpRevision } from "../settings/revision.ts";

export function setPluginState(db: Db, key: string, disabled: boolean): Promise<void> {
  return transaction(db, async (trx) => {
    await toKysely(trx)
      .insertInto("plugin_states")
      .values({ plugin_key: key, disabled: toFlag(disabled) })
      .onConflict((conflict) =>
        conflict.column("plugin_key").doUpdateSet({ disabled: toFlag(disabled) }),
      )
      .execute();
    await bumpRevision(trx);
  });
}

/** Records an installation or removal of plugins: every process checks them before its next call. */
export function recordPluginChange(db: Db): Promise<void> {
  return transaction(db, bumpRevision);
}

/** Keys of the disabled plugins, installed or not. */
export async function listDisabledPlugins(db: Db): Promise<Set<string>> {
  const states = await toKysely(db)
    .selectFrom("plugin_states")
    .select("plugin_key")
    .where("disabled", "=", 1)
    .execute();
  return new Set(states.map((state) => state.plugin_key));
}
