import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** The connector of a row with some of its values in plain text, by the ids of the rows that are there. */
export type StoredAddress = {
  connectorKey: string;
  values: { key: string; value: string | null }[];
};

/** Long values are left out: no address is longer. */
const valueCharsMax = 4_096;

export async function readRowAddresses(
  db: Db,
  ids: readonly string[],
  fields: readonly string[],
): Promise<ReadonlyMap<string, StoredAddress>> {
  if (ids.length === 0) return new Map();
  const found = await toKysely(db)
    .selectFrom("connector_rows")
    .leftJoin("row_values", (join) =>
      join
        .onRef("row_values.row_id", "=", "connector_rows.id")
        .on("field_key", "in", fields)
        .on((value) =>
          value(value.fn<number>("length", ["row_values.value"]), "<=", valueCharsMax),
        ),
    )
    .select(["connector_rows.id", "connector_key", "field_key", "row_values.value"])
    .where("connector_rows.id", "in", ids)
    .execute();
  const addresses = new Map<string, StoredAddress>();
  for (const { id, connector_key: connectorKey, field_key: key, value } of found) {
    const address = addresses.get(id) ?? { connectorKey, values: [] };
    addresses.set(id, address);
    if (key !== null) address.values.push({ key, value });
  }
  return addresses;
}
