import type { RowDetail } from "@hub/contract/row.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import type { StoredValue } from "../../store/rows/row-record.ts";
import { putRowValues, setRowTags } from "../../store/rows/rows-table.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { hasSameTags, toChangedTags } from "../../store/tags/tag-change.ts";
import { findConnector } from "../connectors/find-connector.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkAccess } from "./checks/check-access.ts";
import { checkNotMade } from "./checks/check-made-row.ts";
import { checkProgramRow } from "./checks/check-program-row.ts";
import { findWeakTexts } from "./checks/find-weak-fields.ts";
import { dropMarks } from "./discovery/drop-marks.ts";
import { loadRow } from "./load-row.ts";
import type { FileReferences } from "./manage-rows.ts";
import {
  checkVersion,
  type RowChangeInput,
  rowChangeSchema,
  toChangedTexts,
  toRowChangeDetail,
  updateNames,
} from "./row-change.ts";
import { toStoredValues } from "./row-values.ts";
import { readRowDetail } from "./views/present-row.ts";

/** Changes the given members of a row. */
export async function setRow(
  { store, ring, registry, now }: Pick<ServiceDeps, "store" | "ring" | "registry" | "now">,
  actor: Actor,
  id: string,
  input: RowChangeInput,
  { references }: FileReferences = {},
): Promise<RowDetail> {
  const change = checkInput(rowChangeSchema, input);
  const { id: rowId, connectorKey } = await loadRow(store.db, id);
  checkNotMade(registry, connectorKey);
  if (change.access !== undefined) {
    checkAccess(findConnector(registry, connectorKey), change.access);
  }
  const texts = await toChangedTexts(registry, connectorKey, change);
  const findWeak = () => {
    if (texts.size === 0) return {};
    return findWeakTexts(findConnector(registry, connectorKey).configFields, texts, references);
  };
  const at = now();
  const operationsId = crypto.randomUUID();
  const stamp = stampChange(actor, at);
  const save = async (trx: Transaction, values: readonly StoredValue[]) => {
    const row = await loadRow(trx, id);
    checkVersion(row, change.version);
    const present = toPlainTexts(row);
    if (texts.size > 0) {
      checkProgramRow(registry, actor, connectorKey, present);
      checkProgramRow(registry, actor, connectorKey, new Map([...present, ...texts]));
    }
    await updateNames(trx, row, change, at);
    const tags = toChangedTags(row.tags, change);
    if (!hasSameTags(tags, row.tags)) await setRowTags(trx, row.id, tags, at);
    let lost = 0;
    if (values.length > 0) {
      await putRowValues(trx, row.id, values, at);
      lost = await dropMarks(trx, registry, { before: row, operationsId, at });
    }
    await recordChange(trx, stamp, {
      action: "row.update",
      kind: "row",
      id: row.id,
      name: row.label,
      detail: {
        ...toRowChangeDetail(row, change, tags, texts),
        ...(lost > 0 && { reads_removed: lost }),
      },
    });
    const detail = await readRowDetail(trx, registry, row.id);
    return { ...detail, ...findWeak() };
  };
  if (texts.size === 0) return await transaction(store.db, (trx) => save(trx, []));
  const { configFields } = findConnector(registry, connectorKey);
  const seal = (keys: KeyRing) => toStoredValues(keys, rowId, configFields, texts, references);
  return await storeSecrets({ store, ring }, seal, save);
}
