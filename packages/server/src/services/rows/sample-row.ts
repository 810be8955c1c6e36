import type { RowDetail } from "@hub/contract/row.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { transaction } from "../../store/database/database.ts";
import { makeRowId } from "../../store/rows/row-beginnings.ts";
import { findRow, insertRow } from "../../store/rows/rows-table.ts";
import { setOperationState } from "../../store/rows/switches.ts";
import { findSetting, putSetting } from "../../store/settings/settings-table.ts";
import { findConnector } from "../connectors/find-connector.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { addDefaults, toFieldTexts } from "./row-values.ts";
import { readRowDetail } from "./views/present-row.ts";

type SampleDeps = Pick<ServiceDeps, "store" | "registry" | "now">;

const connector = "http";
const usedOperation = "get";
/** The setting with the id of the sample row. */
const sampleSetting = "sample_row";

/**
 * Makes a row to try, without an account elsewhere: it reads the public health of this hub. Returns the
 * present one if there is one. It has no tag, so only admins see it, and its other operations are
 * disabled. `localUrl` is the hub's address on its own machine, which works without a network, behind
 * a proxy, and with a certificate that this machine does not trust.
 */
export async function makeSampleRow(
  { store, registry, now }: SampleDeps,
  actor: Actor,
  localUrl: string,
): Promise<RowDetail> {
  const { configFields, operations } = findConnector(registry, connector);
  // With the path, because other pages of the hub answer programs on its machine, such as /metrics.
  const values = { base_url: `${localUrl}/health` };
  const texts = addDefaults(configFields, toFieldTexts(configFields, values));
  const id = await makeRowId(store.db);
  const createdAt = now();
  const stamp = stampChange(actor, createdAt);
  const unused = [...operations.keys()].filter((key) => key !== usedOperation);
  return await transaction(store.db, async (trx) => {
    const made = await findSetting(trx, sampleSetting);
    const present = made === null ? null : await findRow(trx, made);
    if (present !== null) return await readRowDetail(trx, registry, present.id);
    await insertRow(trx, {
      id,
      hasMadeId: true,
      connectorKey: connector,
      owner: "built-in" as const,
      label: "Sample",
      tags: [],
      createdAt,
      description: "Reads the health of this hub. Use it to try a call. Delete it at any time.",
      values: [...texts].map(([key, value]) => ({ key, value, sealed: null })),
    });
    for (const key of unused) await setOperationState(trx, id, key, false, createdAt);
    await putSetting(trx, sampleSetting, id);
    await recordChange(trx, stamp, {
      action: "row.create",
      kind: "row",
      id,
      name: "Sample",
      detail: { connector, tags: [], fields: Object.keys(values) },
    });
    return await readRowDetail(trx, registry, id);
  });
}
