import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import type { ChangeLimit } from "../../changes/change-limit.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { findUserById } from "../../store/users/users-table.ts";
import { type Author, loadWorkflow } from "../definition/workflow-access.ts";
import { trialMs } from "../engine/limits/draft-run-limit.ts";
import type { WorkflowCall } from "./workflow-call.ts";

/**
 * Whether a person makes the call: in a signed-in browser, by the test page of the row. Every other call
 * is by a token or over stdio, and counts as a model's.
 */
export function isByPerson({ caller, ip, isFromWorkflow }: WorkflowCall): boolean {
  return caller.tokenId === null && ip !== null && !isFromWorkflow;
}

/** The author of a change that a call makes. Throws `rate_limited` after as many changes as a user may make in a day. */
export function toAuthor({ changes }: { changes: ChangeLimit }, call: WorkflowCall): Author {
  const { caller, ip } = call;
  // The request of a person is counted where it arrives.
  if (!isByPerson(call)) changes.count(caller.userId);
  const { userId, email, tokenId } = caller;
  const via: Actor["via"] = tokenId !== null ? "token" : ip === null ? "command line" : "session";
  return { caller, actor: { userId, email, tokenId, via, ip }, isModel: !isByPerson(call) };
}

/** A workflow that wrote or started workflows by the tools could go on forever without a person. */
export function checkNotFromWorkflow({ isFromWorkflow }: WorkflowCall): void {
  if (!isFromWorkflow) return;
  throw new HubError(
    "forbidden",
    "A node of a workflow cannot call this operation. A workflow starts another one with a node of type workflow.",
  );
}

/** When the run of a draft, or a dry run, must have ended that a call starts. Absent for a person's. */
export function findTrialEnd({ now }: { now(): number }, call: WorkflowCall): number | undefined {
  return isByPerson(call) ? undefined : now() + trialMs;
}

type RightsDeps = {
  store: Pick<Store, "db">;
  config: Pick<Config, "workflowMcp">;
  findBaseUrl(): Promise<string>;
};

/**
 * Throws `forbidden` if the call would let something run later without a person, and the hub leaves that
 * to people (`HUB_WORKFLOW_MCP=draft`). `todo` is the button of the page.
 */
export async function checkMayRelease(
  deps: RightsDeps,
  call: WorkflowCall,
  workflowId: string,
  todo: { done: string; button: string },
): Promise<void> {
  checkNotFromWorkflow(call);
  const { ownerId } = await loadWorkflow(deps.store.db, call.caller, workflowId, "manage");
  if (deps.config.workflowMcp === "publish" || isByPerson(call)) return;
  const page = await toPage(deps, workflowId);
  const who = await nameReleasers(deps.store, call.caller, ownerId);
  throw new HubError(
    "forbidden",
    `A person must do this, because a workflow that is ${todo.done} runs by itself. Ask ${who} to open ${page}, look at the workflow and press ${todo.button}.`,
    { detail: { page } },
  );
}

/** The page of a workflow. */
export async function toPage(
  { findBaseUrl }: Pick<RightsDeps, "findBaseUrl">,
  workflowId: string,
): Promise<string> {
  return `${await findBaseUrl()}/workflows/${workflowId}`;
}

async function nameReleasers(
  { db }: Pick<Store, "db">,
  caller: Caller,
  ownerId: string,
): Promise<string> {
  if (caller.userId === ownerId) return `your user (${caller.email}) or an admin`;
  const owner = await findUserById(db, ownerId);
  return owner === null ? "an admin" : `the owner (${owner.email}) or an admin`;
}
