import { type Json, parseJson, toBytesText, toJsonText } from "@hub/connector";
import { toTimeText } from "@hub/contract/time.ts";
import { workflowBodyLimits } from "@hub/contract/workflow-body-limits.ts";
import type { WorkflowPin } from "@hub/contract/workflow-pin.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { findUserStates } from "../../store/search/name-lookups.ts";
import { findWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import { findStep } from "../../store/workflow-runs/workflow-steps.ts";
import {
  deletePin,
  listPinMarks,
  type PinScope,
  putPin,
  readPins,
} from "../../store/workflows/workflow-pins.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { toUser } from "./present-workflow.ts";
import { type Author, loadWorkflow } from "./workflow-access.ts";
import { pinBytesMax, pinsBytesMax } from "./workflow-limits.ts";

type PinDeps = Pick<DefinitionDeps, "store" | "now">;

/** The outputs that are pinned for tests of the draft, without their values. */
export async function listPins(
  { store }: Pick<DefinitionDeps, "store">,
  caller: Caller,
  id: string,
): Promise<WorkflowPin[]> {
  return await presentPins(store.db, await loadWorkflow(store.db, caller, id, "manage"));
}

const toScope = ({ id, ownerId }: WorkflowRecord): PinScope => ({ workflowId: id, ownerId });

async function presentPins(db: Db, workflow: WorkflowRecord): Promise<WorkflowPin[]> {
  const pins = await listPinMarks(db, toScope(workflow));
  const users = await findUserStates(
    db,
    pins.map(({ pinnedBy }) => pinnedBy),
  );
  return pins.map(({ nodeId, bytes, pinnedBy, pinnedAt }) => ({
    node_id: nodeId,
    bytes,
    pinned_by: toUser(users, pinnedBy),
    pinned_at: toTimeText(pinnedAt),
  }));
}

const pinSchema = z
  .strictObject({ run: z.string().max(64).optional(), node: z.string().max(64).optional() })
  .refine(({ run, node }) => (run === undefined) !== (node === undefined), {
    error: "Give either run, a run that has the output, or node, the node that had this id before.",
  });

/** Pins the output that a node gave in a run, or that is pinned for the id that it had before. */
export async function setPin(
  { store, now }: PinDeps,
  { caller, actor }: Author,
  id: string,
  nodeId: string,
  input: z.input<typeof pinSchema>,
): Promise<WorkflowPin[]> {
  const { run, node } = checkInput(pinSchema, input);
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    const scope = toScope(workflow);
    const output =
      run !== undefined
        ? await readOutput(trx, workflow, { run, nodeId })
        : ((await readPins(trx, scope)).get(node ?? "") ?? null);
    if (output === null) throw new HubError("not_found", `The node "${node}" has no pin.`);
    const bytes = Buffer.byteLength(output);
    checkSizes(bytes, nodeId, await listPinMarks(trx, scope));
    await putPin(trx, scope, { nodeId, output, bytes, pinnedBy: actor.userId, pinnedAt: at });
    await recordChange(trx, stamp, {
      action: "workflow.pin",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { node: nodeId },
    });
    return await presentPins(trx, workflow);
  });
}

/** The output of a step, as the run has stored it: with value tokens of the owner instead of secrets. */
async function readOutput(
  db: Db,
  workflow: WorkflowRecord,
  { run: runId, nodeId }: { run: string; nodeId: string },
): Promise<string> {
  const run = await findWorkflowRun(db, runId);
  if (run === null || run.workflowId !== workflow.id) {
    throw new HubError("not_found", "There is no such run of this workflow.");
  }
  if (run.ownerId !== workflow.ownerId) {
    throw new HubError(
      "conflict",
      "The run belongs to a former owner of the workflow, so its outputs cannot be pinned.",
    );
  }
  const step = await findStep(db, runId, nodeId);
  if (step === null || step.state !== "succeeded") {
    throw new HubError(
      "conflict",
      `The node "${nodeId}" has no output in this run. Choose a run in which it succeeded.`,
    );
  }
  const { output, caseName } = step;
  return caseName === null || output === null ? (output ?? "null") : toCasePin(output, caseName);
}

/** A pin of an approval says its case. The output of a branch is its case already. */
function toCasePin(text: string, name: string): string {
  const output: Json = parseJson(text);
  if (typeof output !== "object" || output === null || Array.isArray(output)) return text;
  return toJsonText({ ...output, case: name });
}

function checkSizes(
  bytes: number,
  nodeId: string,
  pins: ReadonlyArray<{ nodeId: string; bytes: number }>,
): void {
  if (bytes > pinBytesMax) {
    throw new HubError(
      "bad_request",
      `The output of "${nodeId}" has ${bytes} bytes, and a pin has at most ${toBytesText(pinBytesMax)}. Name the run in pins_from instead.`,
    );
  }
  const others = pins.filter((pin) => pin.nodeId !== nodeId);
  if (others.length >= workflowBodyLimits.nodesMax) {
    throw new HubError(
      "bad_request",
      `A workflow has at most ${workflowBodyLimits.nodesMax} pins. Remove one first.`,
    );
  }
  const sum = others.reduce((total, pin) => total + pin.bytes, bytes);
  if (sum <= pinsBytesMax) return;
  throw new HubError(
    "bad_request",
    `The pins of a workflow have at most ${toBytesText(pinsBytesMax)} together. Remove one first.`,
  );
}

export async function removePin(
  { store, now }: PinDeps,
  { caller, actor }: Author,
  id: string,
  nodeId: string,
): Promise<WorkflowPin[]> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    if (!(await deletePin(trx, id, nodeId))) {
      throw new HubError("not_found", "The node has no pin.");
    }
    await recordChange(trx, stamp, {
      action: "workflow.unpin",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { node: nodeId },
    });
    return await presentPins(trx, workflow);
  });
}
