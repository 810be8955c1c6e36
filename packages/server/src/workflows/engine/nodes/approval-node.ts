import { type Json, toJsonText } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { cutTextAtCharacter } from "../../../lib/json/cut-json.ts";
import { stripInvisible } from "../../../lib/text/strip-invisible.ts";
import { listInvolved } from "../../../operations/rules/list-involved.ts";
import type { Db } from "../../../store/database/database.ts";
import { findUserIds } from "../../../store/search/name-lookups.ts";
import type {
  Approver,
  NewApproval,
} from "../../../store/workflow-runs/workflow-approval-records.ts";
import { countPendingApprovals } from "../../../store/workflow-runs/workflow-approvals-table.ts";
import { toSummaryText } from "../../approvals/approval-summary.ts";
import { digestJson } from "../../approvals/digest-json.ts";
import { pickValues } from "../../approvals/pick-values.ts";
import { showValues } from "../../approvals/shown-values.ts";
import { findWillRun } from "../../approvals/what-will-run.ts";
import { hideTokens } from "../secrets/hide-tokens.ts";
import type { OpenStep, StepContext } from "../step/open-step.ts";
import { type CalledDeps, createCalledFinder } from "./find-called-operation.ts";

export type ApprovalDeps = CalledDeps & {
  db: Db;
  /** How many pending approvals one owner may have. */
  pendingMax?: number;
};

const titleBytesMax = 1000;
const detailsBytesMax = 64 * 1024;

/** Asks people, and goes on along `approved`, `denied` or `expired`. */
export function createOpenApproval(deps: ApprovalDeps): OpenStep<"approval"> {
  return async (ctx, node) => {
    const { db } = deps;
    const { run, lookahead } = ctx;
    const named = node.values ?? [];
    const texts = named.map(({ value }) => value);
    const [askedTitle, askedDetails, askedValues] = readParts(
      ctx.render([node.title, node.details, texts]),
    );
    await checkPending(deps, run.ownerId);
    const findOperation = createCalledFinder(deps, ctx);
    const willRun = await findWillRun({ ...lookahead, findOperation, seal: ctx.seal }, node.id);
    const [title, details] = await showTexts(ctx, [askedTitle, askedDetails]);
    const given = named.map(({ label }, at) => ({ label, value: askedValues[at] ?? null }));
    const { first } = willRun;
    const isPicked = given.length === 0 && first !== null;
    const values = await showValues(ctx, isPicked ? await pickValues(lookahead, first) : given);
    const involved = await listInvolved(db, run);
    const createdAt = ctx.now();
    const shown = { shown: willRun.shown, more: willRun.more, values };
    const approval: NewApproval = {
      id: crypto.randomUUID(),
      workflowId: run.workflowId,
      runId: run.id,
      nodeId: node.id,
      bodyId: run.bodyId,
      version: run.version,
      ownerId: run.ownerId,
      title,
      details,
      approvers: JSON.stringify(node.approvers),
      isSelf: node.self,
      startedBy: run.startedBy,
      starterIds: JSON.stringify(involved.starterIds),
      editorIds: JSON.stringify(involved.editorIds),
      willRun: toJsonText(shown),
      summary: toSummaryText(shown),
      expected: JSON.stringify(willRun.expected),
      // Safe: it was made from JSON.
      hash: digestJson([run.bodyId, title, details, shown as unknown as Json]),
      createdAt,
      expiresAt: createdAt + node.expires_s * 1000,
      people: await findPeople(db, node.approvers),
    };
    const { tags, users } = node.approvers;
    return {
      input: { title, details, values, approvers: { tags, users }, approval_id: approval.id },
      effects: "none",
      run: async () => ({ kind: "ask", approval }),
    };
  };
}

async function checkPending(
  { db, pendingMax = 1000 }: ApprovalDeps,
  ownerId: string,
): Promise<void> {
  if ((await countPendingApprovals(db, ownerId)) < pendingMax) return;
  throw new HubError(
    "conflict",
    `The workflows of this owner wait for ${pendingMax} approvals already. Decide some of them, or cancel their runs.`,
  );
}

/** Rendering keeps the items of a list. */
function readParts(rendered: Json): [title: Json, details: Json, values: Json[]] {
  const [title = "", details = "", values] = Array.isArray(rendered) ? rendered : [];
  return [title, details, Array.isArray(values) ? values : []];
}

/** The texts without secrets, since others than the owner read them, and without invisible characters. */
async function showTexts(ctx: StepContext, asked: Json): Promise<[title: string, details: string]> {
  const hide = async (value: Json) => {
    const hidden = hideTokens(await ctx.seal(value));
    const [title = "", details = ""] = Array.isArray(hidden) ? hidden : [];
    return { title, details };
  };
  const given = await hide(asked);
  // A title is one line, also in a terminal and in a chat.
  const title = stripInvisible(toText(given.title)).replace(/\s+/g, " ").trim();
  const details = stripInvisible(toText(given.details), { keepsLines: true });
  // Again, because a secret may have had such characters in between.
  const shown = await hide([title, details]);
  return [
    cutTextAtCharacter(title === "" ? "(no title)" : toText(shown.title), titleBytesMax),
    cutTextAtCharacter(toText(shown.details), detailsBytesMax),
  ];
}

const toText = (value: Json) => (typeof value === "string" ? value : toJsonText(value));

/** A user is bound by id now: another account that gets the e-mail later is not meant. */
async function findPeople(
  db: Db,
  { tags, users }: { tags: readonly string[]; users: readonly string[] },
): Promise<Approver[]> {
  const emails = users.map((email) => email.trim().toLowerCase());
  const ids = await findUserIds(db, emails);
  return [
    ...tags.map((name) => ({ kind: "tag" as const, name })),
    ...[...ids].map(([email, userId]) => ({ kind: "user" as const, userId, email })),
  ];
}
