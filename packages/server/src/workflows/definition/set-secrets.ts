import type { WorkflowSecret } from "@hub/contract/workflow.ts";
import { workflowVariableSchema } from "@hub/contract/workflow-names.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { mayUseReference } from "../../connectors/managed/may-use-reference.ts";
import { readDefinitions } from "../../connectors/managed/read-definitions.ts";
import {
  checkChangesSources,
  workflowTokenRefusal,
} from "../../connectors/managed/source-rights.ts";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { sealAtRest, sealManaged } from "../../secrets/at-rest/at-rest.ts";
import { toWorkflowSecretLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { updateWorkflow } from "../../store/workflows/workflow-changes.ts";
import {
  deleteWorkflowSecret,
  listWorkflowSecrets,
  putWorkflowSecret,
} from "../../store/workflows/workflow-secrets.ts";
import { loadBody } from "./body-text.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { readSecretNames } from "./present-workflow.ts";
import { type Author, loadWorkflow } from "./workflow-access.ts";
import { secretCharsMax, secretsMax } from "./workflow-limits.ts";

type SecretDeps = Pick<DefinitionDeps, "store" | "ring" | "now">;

/** The names of the secrets that are set or needed. Values never come back. */
export async function listSecrets(
  { store }: Pick<DefinitionDeps, "store">,
  caller: Caller,
  id: string,
): Promise<WorkflowSecret[]> {
  const workflow = await loadWorkflow(store.db, caller, id, "accept");
  const draft = await loadBody(store.db, workflow.draftBodyId);
  return await readSecretNames(store.db, workflow, draft);
}

const secretSchema = z.strictObject({
  name: workflowVariableSchema,
  value: z
    .string()
    .min(1, { error: "must not be empty." })
    .max(secretCharsMax, { error: `must have at most ${secretCharsMax} characters.` }),
});

/** Sets or replaces a secret. */
export async function setSecret(
  deps: SecretDeps,
  { caller, actor }: Author,
  id: string,
  input: z.input<typeof secretSchema>,
): Promise<WorkflowSecret[]> {
  const { name, value } = checkInput(secretSchema, input);
  const { store, now } = deps;
  // Before the keys are read: a caller without the right costs nothing.
  await loadWorkflow(store.db, caller, id, "manage");
  const updatedAt = now();
  const stamp = stampChange(actor, updatedAt);
  const seal = (ring: KeyRing) => sealAtRest(ring, toWorkflowSecretLocation(id, name), value);
  await storeSecrets(deps, seal, async (trx, sealed) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    await checkCount(trx, id, name);
    await putWorkflowSecret(trx, id, { name, sealed, updatedAt });
    await touchWorkflow(trx, id, updatedAt);
    await recordChange(trx, stamp, {
      action: "workflow.set_secret",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { secret: name },
    });
  });
  return await listSecrets(deps, caller, id);
}

/**
 * Takes a secret from a secret manager, by the id or name of a reference that the caller may use. Its token opens in calls
 * of the reference's row alone.
 */
export async function nameSecret(
  deps: SecretDeps,
  { caller, actor }: Author,
  id: string,
  { name, reference: named }: { name: string; reference: string },
): Promise<WorkflowSecret[]> {
  checkInput(secretSchema.shape.name, name);
  checkChangesSources(actor, workflowTokenRefusal);
  const { store, now } = deps;
  await loadWorkflow(store.db, caller, id, "manage");
  const definitions = [...(await readDefinitions(store.db)).values()];
  const found = definitions.find(
    (one) => (one.id === named || one.name === named) && mayUseReference(caller, one),
  );
  // The same for one that the caller may not use.
  if (found === undefined) throw new HubError("not_found", "You may use no such reference.");
  if (found.rows.length !== 1 && found.hosts.length + found.rows.length > 0) {
    throw new HubError(
      "bad_request",
      "Secrets of workflows need a reference with one row, in whose calls they open, or one with neither rows nor hosts, which only checks webhooks.",
    );
  }
  const at = now();
  const stamp = stampChange(actor, at);
  const seal = (ring: KeyRing) => sealManaged(ring, toWorkflowSecretLocation(id, name), found.id);
  await storeSecrets(deps, seal, async (trx, sealed) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    await checkCount(trx, id, name);
    await putWorkflowSecret(trx, id, { name, sealed, updatedAt: at });
    await touchWorkflow(trx, id, at);
    await recordChange(trx, stamp, {
      action: "workflow.set_secret",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { secret: name, reference: found.name },
    });
  });
  return await listSecrets(deps, caller, id);
}

async function checkCount(trx: Transaction, id: string, name: string): Promise<void> {
  const present = await listWorkflowSecrets(trx, id);
  const isNew = present.every((secret) => secret.name !== name);
  if (!isNew || present.length < secretsMax) return;
  throw new HubError(
    "conflict",
    `The workflow has ${secretsMax} secrets, which is the maximum. Remove one first.`,
  );
}

export async function removeSecret(
  deps: SecretDeps,
  { caller, actor }: Author,
  id: string,
  name: string,
): Promise<WorkflowSecret[]> {
  const { store, now } = deps;
  const at = now();
  const stamp = stampChange(actor, at);
  await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    if (!(await deleteWorkflowSecret(trx, id, name))) {
      throw new HubError("not_found", "The workflow has no such secret.");
    }
    await touchWorkflow(trx, id, at);
    await recordChange(trx, stamp, {
      action: "workflow.remove_secret",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { secret: name },
    });
  });
  return await listSecrets(deps, caller, id);
}

/** A secret can be an address. A new owner accepts the workflow only as it was read. */
async function touchWorkflow(trx: Transaction, id: string, at: number): Promise<void> {
  await updateWorkflow(trx, id, {}, at);
}
