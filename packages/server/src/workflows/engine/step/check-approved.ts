import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import { digestJson } from "../../approvals/digest-json.ts";
import {
  type ExpectedNode,
  listFollowing,
  readFields,
  renderItems,
  schedules,
} from "../../approvals/what-will-run.ts";
import type { WalkContext } from "../walk/walk-state.ts";
import { createLookahead } from "./create-lookahead.ts";
import type { ItemScope } from "./create-render.ts";
import type { OpenedStep } from "./open-step.ts";

/** Records that an approval was given. The nodes after it are compared with what was shown. */
export function recordGate(
  { start, state }: WalkContext,
  node: WorkflowNode,
  caseName: string | null,
): void {
  if (node.type !== "approval" || caseName !== "approved") return;
  // A dry run sends nothing, and a run of one node asks no approvers.
  if (start.run.mode !== "live") return;
  const following = new Set(listFollowing(start.plan, node.id));
  state.gates.set(node.id, { following, expected: null });
}

/** Throws `conflict` if a step is not what its approvers were shown. */
export async function checkApproved(
  walk: WalkContext,
  node: WorkflowNode,
  opened: Pick<OpenedStep, "effects" | "changes">,
  scope: ItemScope | null,
): Promise<void> {
  for (const expected of await findExpected(walk, node.id)) {
    if (expected === null) {
      const changes = opened.changes === true || opened.effects !== "none";
      if (changes) throw refuse(node, "Its approvers were not shown this node.");
    } else if (scope === null && expected.fields !== undefined) {
      const fields = await createLookahead(walk).render(readFields(node), null);
      if (digestJson(fields) !== expected.fields) throw refuse(node, different);
    }
  }
}

/** The same for a node with `for_each`: its list as a whole, and what its first items get. */
export async function checkApprovedItems(
  walk: WalkContext,
  node: WorkflowNode,
  list: Json,
): Promise<void> {
  for (const expected of await findExpected(walk, node.id)) {
    // It has digests of its list and items only, unless it could not be rendered.
    if (expected?.fields !== undefined) throw refuse(node, different);
    if (expected?.list === undefined) continue;
    if (digestJson(list) !== expected.list) throw refuse(node, different);
    const digests = expected.items ?? [];
    const items = Array.isArray(list) ? list : [];
    const rendered = await renderItems(createLookahead(walk), node, items, digests.length);
    if (rendered.some((item, at) => digestJson(item) !== digests[at]))
      throw refuse(node, different);
  }
}

/** Whether the approvers before a node were shown that its output schedules a run. */
export async function isScheduleShown(walk: WalkContext, node: WorkflowNode): Promise<boolean> {
  const all = await findExpected(walk, node.id);
  return all.length === 0 || (schedules(walk.start.plan, node) && !all.includes(null));
}

/** The node has run, so it does not fail: to resume its run would repeat it. */
export const unshownSchedule =
  "No run was scheduled: the approvers before this node were not shown one. After an approval, only a set node whose value has the member schedule_at schedules a run.";

const different = "It would get other values than its approvers were shown.";

/** What each given approval expects of a node that follows it; null if it did not show the node. */
async function findExpected(
  walk: WalkContext,
  nodeId: string,
): Promise<Array<ExpectedNode | null>> {
  const found: Array<ExpectedNode | null> = [];
  for (const [id, gate] of walk.state.gates) {
    if (!gate.following.has(nodeId)) continue;
    gate.expected ??= readExpected(walk, id);
    const all = await gate.expected;
    found.push(all !== null && Object.hasOwn(all, nodeId) ? (all[nodeId] ?? null) : null);
  }
  return found;
}

async function readExpected(
  { deps, start }: WalkContext,
  approvalId: string,
): Promise<Record<string, ExpectedNode> | null> {
  const approval = await deps.reads.findGivenApproval(approvalId);
  // What follows was approved for one body.
  if (approval === null || approval.bodyId !== start.run.bodyId) return null;
  return JSON.parse(approval.expected);
}

function refuse({ id }: WorkflowNode, reason: string): HubError {
  return new HubError(
    "conflict",
    `The node ${id} did not run, because it is not what was approved. ${reason} Start a new run to ask again.`,
  );
}
