import type { Caller } from "../../../caller.ts";
import type { Actor } from "../../../changes/actor.ts";
import { toCaller } from "../../../identity/to-caller.ts";
import { findUserById } from "../../../store/users/users-table.ts";
import * as changes from "../change-workflow.ts";
import * as creation from "../create-workflow.ts";
import type { DefinitionDeps } from "../definition-deps.ts";
import { exportWorkflow } from "../export-workflow.ts";
import * as versions from "../list-versions.ts";
import * as lists from "../list-workflows.ts";
import { listPins, removePin, setPin } from "../manage-pins.ts";
import * as owner from "../offer-workflow.ts";
import { publishWorkflow } from "../publish-workflow.ts";
import * as drafts from "../save-draft.ts";
import * as secrets from "../set-secrets.ts";

/** The verbs on workflows bound to one caller, which keeps the setup of tests short. */
export function actOnWorkflows(deps: DefinitionDeps, author: { caller: Caller; actor: Actor }) {
  const { caller } = author;
  return {
    list: async (filter: lists.WorkflowListInput = {}) =>
      (await lists.listWorkflows(deps, caller, filter)).items,
    show: (id: string) => lists.showWorkflow(deps, caller, id),
    create: (input: creation.NewWorkflowInput) => creation.createWorkflow(deps, author, input),
    import: (input: creation.ImportInput) => creation.importWorkflow(deps, author, input),
    export: (id: string) => exportWorkflow(deps, caller, id),
    save: (id: string, input: drafts.DraftInput) => drafts.saveDraft(deps, author, id, input),
    validate: (id: string) => drafts.validateWorkflow(deps, caller, id),
    restore: (id: string, version: number, revision: number) =>
      drafts.restoreVersion(deps, author, id, version, { revision }),
    publish: (id: string, revision: number, note?: string) =>
      publishWorkflow(deps, author, id, { revision, note }),
    versions: (id: string) => versions.listVersions(deps, caller, id),
    version: (id: string, version: number) => versions.showVersion(deps, caller, id, version),
    diff: (id: string, input?: versions.DiffInput) =>
      versions.compareVersions(deps, caller, id, input),
    change: (id: string, input: changes.WorkflowChangeInput) =>
      changes.changeWorkflow(deps, author, id, input),
    enable: (id: string) => changes.enableWorkflow(deps, author, id),
    disable: (id: string) => changes.disableWorkflow(deps, author, id),
    delete: (id: string) => changes.deleteWorkflow(deps, author, id),
    setTags: (id: string, input: changes.WorkflowTagsInput) =>
      changes.setTags(deps, author, id, input),
    opened: (id: string) => changes.listWorkflowOpened(deps, caller, id),
    offer: (id: string, email: string) => owner.offerWorkflow(deps, author, id, { owner: email }),
    accept: (id: string, updatedAt: string) =>
      owner.acceptWorkflow(deps, author, id, { updatedAt }),
    endOffer: (id: string) => owner.endOffer(deps, author, id),
    copyPin: (id: string, from: string, to: string) => setPin(deps, author, id, to, { node: from }),
    pinRun: (id: string, run: string, node: string) => setPin(deps, author, id, node, { run }),
    listPins: (id: string) => listPins(deps, author.caller, id),
    removePin: (id: string, node: string) => removePin(deps, author, id, node),
    secrets: (id: string) => secrets.listSecrets(deps, caller, id),
    setSecret: (id: string, name: string, value: string) =>
      secrets.setSecret(deps, author, id, { name, value }),
    removeSecret: (id: string, name: string) => secrets.removeSecret(deps, author, id, name),
  };
}

/** The verbs as a stored user with the rights of this moment. */
export async function actAsUser(deps: DefinitionDeps, userId: string) {
  const user = await findUserById(deps.store.db, userId);
  if (user === null) throw new Error(`The user ${userId} is missing.`);
  const caller = toCaller({ userId: user.id, ...user }, null);
  const { email } = user;
  const actor: Actor = { userId, email, tokenId: null, via: "session", ip: null };
  return actOnWorkflows(deps, { caller, actor });
}
