import type { SecretReference } from "@hub/contract/secret-source.ts";
import { isManaged, openStored } from "../../secrets/at-rest/at-rest.ts";
import { toWorkflowSecretLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { Db } from "../../store/database/database.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { listAllWorkflowSecrets } from "../../store/workflows/workflow-secrets.ts";

type Use = SecretReference["used_by"][number];

/** The fields of rows and the secrets of workflows that name references, by the id of the reference. */
export async function findUses(db: Db, ring: KeyRing): Promise<ReadonlyMap<string, Use[]>> {
  const uses = new Map<string, Use[]>();
  const add = (id: string | null, use: Use) => {
    if (id !== null) uses.set(id, [...(uses.get(id) ?? []), use]);
  };
  for (const { id, label, values } of await listRows(db)) {
    for (const { key, sealed } of values) {
      if (sealed === null || !isManaged(sealed)) continue;
      const location = { table: "row_values", row: id, field: key };
      add(findText(ring, location, sealed), { kind: "row", id, name: label, field: key });
    }
  }
  for (const { workflowId: id, label, name, sealed } of await listAllWorkflowSecrets(db)) {
    if (!isManaged(sealed)) continue;
    const location = toWorkflowSecretLocation(id, name);
    add(findText(ring, location, sealed), { kind: "workflow", id, name: label, field: name });
  }
  return uses;
}

/** Null if its key is gone: the check of the keys says so. */
function findText(
  ring: KeyRing,
  ...[location, sealed]: [Parameters<typeof openStored>[1], Uint8Array]
) {
  try {
    return openStored(ring, location, sealed).text;
  } catch {
    return null;
  }
}
