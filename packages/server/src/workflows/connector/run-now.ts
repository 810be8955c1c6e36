import type { WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { createMask } from "../../secrets/mask.ts";
import { loadWorkflow } from "../record/access.ts";
import { isServed, queuedNote } from "../runs/is-served.ts";
import type { RunVerbDeps } from "../runs/run-deps.ts";
import { startRun, waitMsMax } from "../runs/start-run.ts";
import type { WorkflowCall } from "./workflow-call.ts";

export type RunNowDeps = RunVerbDeps & {
  config: Pick<Config, "encDisable" | "rowTokens">;
  now(): number;
};

export type RunNowInput = {
  workflowId: string;
  triggerId: string | undefined;
  payload: unknown;
  isDraft: boolean;
  /** How long to wait for the end, in seconds. */
  waitS: number;
};

/** Starts a run for a model. */
export async function runNow(
  deps: RunNowDeps,
  call: WorkflowCall,
  { workflowId, triggerId, payload, isDraft, waitS }: RunNowInput,
): Promise<WorkflowOutcome & { note?: string }> {
  const { caller } = call;
  if (call.isFromWorkflow) {
    // The depth of such a run would not be counted, so two workflows could start each other forever.
    throw new HubError("forbidden", "A workflow starts another one with a node of type workflow.");
  }
  if (!(waitS >= 0 && waitS <= waitMsMax / 1000)) {
    throw new HubError("bad_request", `wait_s must be from 0 to ${waitMsMax / 1000}.`);
  }
  if (isDraft) await checkOwnsDraft(deps, call, workflowId);
  const served = await isServed(deps);
  const outcome = await startRun(deps, caller, workflowId, {
    triggerId,
    payload: sealOpened(deps, call, payload),
    isDraft,
    waitMs: served ? waitS * 1000 : 0,
  });
  return served ? outcome : { ...outcome, note: queuedNote };
}

/** A draft was read by its author alone, so a model runs only the drafts of its own user, admins included. */
async function checkOwnsDraft(
  { store }: RunNowDeps,
  { caller }: WorkflowCall,
  workflowId: string,
): Promise<void> {
  const { ownerId } = await loadWorkflow(store.db, caller, workflowId, "manage");
  if (ownerId === caller.userId) return;
  throw new HubError("forbidden", "Only the owner of the workflow can run its draft as a tool.");
}

/**
 * The call pipeline has opened the caller's value tokens in the params. The event of a run is
 * stored, so they become tokens again.
 */
function sealOpened(
  { ring, config }: RunNowDeps,
  { caller, secrets }: WorkflowCall,
  payload: unknown,
): unknown {
  if (payload === undefined || secrets.length === 0) return payload;
  const { encDisable, rowTokens } = config;
  const { userId } = caller;
  const mask = createMask({ ring: ring.current(), userId, enabled: !encDisable, rowTokens });
  for (const text of secrets) mask.addSecret(text);
  return mask.sealJson(payload);
}
