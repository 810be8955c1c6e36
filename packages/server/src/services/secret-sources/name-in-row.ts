import type { RowDetail } from "@hub/contract/row.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { checkDestination } from "../../connectors/managed/check-destination.ts";
import { checkChangesSources } from "../../connectors/managed/source-rights.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import { toBadRequest } from "../../lib/input/check-input.ts";
import { sealManaged } from "../../secrets/at-rest/at-rest.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { putRowValues } from "../../store/rows/rows-table.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { findConnector } from "../connectors/find-connector.ts";
import { checkNotMade } from "../rows/checks/check-made-row.ts";
import { checkProgramRow } from "../rows/checks/check-program-row.ts";
import { loadRow } from "../rows/load-row.ts";
import { readRowDetail } from "../rows/views/present-row.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadReference, toDefinition } from "./manage-references.ts";

type NameDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "now">;

/**
 * Takes the value of a secret field of a row from a secret manager, by the id or name of a reference. Throws `needs_setup`
 * if the reference may not be sent to the row.
 */
export async function nameInRow(
  { store, ring, registry, now }: NameDeps,
  actor: Actor,
  rowId: string,
  { field, reference: named }: { field: string; reference: string },
): Promise<RowDetail> {
  checkChangesSources(actor);
  const { id } = await loadRow(store.db, rowId);
  const reference = await loadReference(store.db, named);
  const at = now();
  const stamp = stampChange(actor, at);
  const location = { table: "row_values", row: id, field };
  const seal = (keys: KeyRing) => sealManaged(keys, location, reference.id);
  return await storeSecrets({ store, ring }, seal, async (trx, sealed) => {
    const row = await loadRow(trx, id);
    checkNotMade(registry, row.connectorKey);
    const connector = findConnector(registry, row.connectorKey);
    const texts = toPlainTexts(row);
    checkProgramRow(registry, actor, row.connectorKey, texts);
    const isSecret = connector.configFields.some(({ key, secret }) => key === field && secret);
    if (!isSecret) {
      const secrets = connector.configFields.filter(({ secret }) => secret).map(({ key }) => key);
      const names = secrets.join(", ") || "none";
      throw toBadRequest([{ path: "field", message: `is no secret field. There are: ${names}.` }]);
    }
    const definition = await toDefinition(trx, await loadReference(trx, reference.id));
    checkDestination(definition, { rowId: row.id, connector, texts });
    await putRowValues(trx, row.id, [{ key: field, value: null, sealed }], at);
    await recordChange(trx, stamp, {
      action: "row.update",
      kind: "row",
      id: row.id,
      name: row.label,
      detail: { fields: [field], reference: definition.name },
    });
    return await readRowDetail(trx, registry, row.id);
  });
}
