import type { RowDetail } from "@hub/contract/row.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { transaction } from "../../store/database.ts";
import { putRowValues, setRowTags } from "../../store/rows.ts";
import { checkInput } from "../check-input.ts";
import { findConnector } from "../find-connector.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { hasSameTags, toChangedTags } from "../tag-change.ts";
import { loadRow } from "./load-row.ts";
import { readRowDetail } from "./present-row.ts";
import {
  checkVersion,
  type RowChangeInput,
  rowChangeSchema,
  toChangedTexts,
  toRowChangeDetail,
  updateNames,
} from "./row-change.ts";
import { toStoredValues } from "./row-values.ts";

/** Changes the given members of a row. */
export async function setRow(
  { store, ring, registry, now }: Pick<ServiceDeps, "store" | "ring" | "registry" | "now">,
  actor: Actor,
  id: string,
  input: RowChangeInput,
): Promise<RowDetail> {
  const change = checkInput(rowChangeSchema, input);
  const { connectorKey } = await loadRow(store.db, id);
  const texts = await toChangedTexts(registry, connectorKey, change);
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, id);
    checkVersion(row, change.version);
    await updateNames(trx, row, change, at);
    const tags = toChangedTags(row.tags, change);
    if (!hasSameTags(tags, row.tags)) await setRowTags(trx, row.id, tags, at);
    if (texts.size > 0) {
      const fields = findConnector(registry, row.connectorKey).configFields;
      const values = toStoredValues(await ring.reload(), row.id, fields, texts);
      await putRowValues(trx, row.id, values, at);
    }
    await recordChange(trx, stamp, {
      action: "row.update",
      kind: "row",
      id: row.id,
      name: row.label,
      detail: toRowChangeDetail(row, change, tags, texts),
    });
    return await readRowDetail(trx, registry, row.id);
  });
}
