import type { HubFileChange, HubFileWorkflow } from "@hub/contract/hub-file.ts";
import { openAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toWorkflowSecretLocation } from "../../secrets/at-rest/secret-locations.ts";
import { listWorkflowSecrets } from "../../store/workflows/workflow-secrets.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { removeSecret, setSecret } from "../../workflows/definition/set-secrets.ts";
import type { ApplyContext } from "./apply-context.ts";
import { kept } from "./export-hub.ts";

/** Stores the secrets that the file gives a workflow, and removes those that it empties. Returns what changed. */
export async function applySecrets(
  { deps, author, keys, secrets }: ApplyContext,
  { id }: WorkflowRecord,
  { secrets: given = {} }: HubFileWorkflow,
): Promise<HubFileChange["fields"]> {
  const stored = new Map(
    (await listWorkflowSecrets(deps.store.db, id)).map(({ name, sealed }) => [name, sealed]),
  );
  const fields: HubFileChange["fields"] = [];
  for (const [name, reference] of Object.entries(given)) {
    const sealed = stored.get(name);
    if (reference === kept || (reference === "" && sealed === undefined)) continue;
    const value = secrets.get(reference);
    if (reference === "") await removeSecret(deps, author, id, name);
    else {
      if (value === undefined || (sealed && isSame(keys, id, name, sealed, value))) continue;
      await setSecret(deps, author, id, { name, value });
    }
    fields.push({ field: `secrets.${name}`, from: null, to: null, secret: true });
  }
  return fields;
}

function isSame(
  keys: ApplyContext["keys"],
  id: string,
  name: string,
  sealed: Uint8Array,
  value: string,
): boolean {
  try {
    return openAtRest(keys, toWorkflowSecretLocation(id, name), sealed) === value;
  } catch {
    // Its key is lost: the file's value repairs it.
    return false;
  }
}
