import type { AttentionItem } from "@hub/contract/attention.ts";
import type { Caller } from "../../caller.ts";
import { listApprovals } from "../../workflows/approvals/list-approvals.ts";
import { summarizeWorkflows } from "../../workflows/definition/summarize-workflows.ts";
import { listChannels } from "../channels/manage-channels.ts";
import { listPendingCalls } from "../pending/list-pending-calls.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toItem } from "./attention-item.ts";

/** Of each kind. The list of that kind shows the others. */
const shownMax = 200;

/** The approvals that the caller may decide. */
export async function findApprovalItems(
  deps: ServiceDeps,
  caller: Caller,
): Promise<AttentionItem[]> {
  const given = { state: "pending", isMine: true, isDecidable: true, limit: shownMax } as const;
  const { items, next } = await listApprovals(deps, caller, given);
  const found = items.map(({ id, title, workflow_name: workflow, created_at: since }) =>
    toItem(
      "approval_waiting",
      { kind: "approval", id, name: title },
      `Waits for your decision in ${workflow}.`,
      { path: `/approvals/${id}`, since },
    ),
  );
  if (next === null) return found;
  const subject = { kind: "approval", id: null, name: "More approvals" } as const;
  return [
    ...found,
    toItem("approval_waiting", subject, "Wait for a decision.", { path: "/approvals" }),
  ];
}

/** The calls that the caller may decide. */
export async function findCallItems(deps: ServiceDeps, caller: Caller): Promise<AttentionItem[]> {
  const given = { isDecidable: true, limit: shownMax } as const;
  const { items, next } = await listPendingCalls(deps, caller, given);
  const found = items.map(({ id, user, operation_name: name, row_label: row, ...call }) =>
    toItem(
      "approval_waiting",
      { kind: "approval", id, name: `${name} · ${row}` },
      `A call of ${user} by ${call.made_by} waits for your decision.`,
      { path: `/approvals/calls/${id}`, since: call.created_at },
    ),
  );
  if (next === null) return found;
  const subject = { kind: "approval", id: null, name: "More calls" } as const;
  return [
    ...found,
    toItem("approval_waiting", subject, "Wait for a decision.", { path: "/approvals" }),
  ];
}

/** The workflows whose last run failed: for admins all, for others their own. */
export async function findWorkflowItems(
  deps: ServiceDeps,
  caller: Caller,
): Promise<AttentionItem[]> {
  const owner = caller.role === "admin" ? undefined : caller.userId;
  const given = { state: "failing", owner, limit: shownMax } as const;
  const { items, next } = await summarizeWorkflows(deps, caller, given);
  const found = items.map(({ id, name, last_run: run }) =>
    toItem(
      "workflow_failed",
      { kind: "workflow", id, name },
      `The last run failed: ${run?.error?.message ?? "the run has the reason."}`,
      {
        path: run === null ? `/workflows/${id}?state=failed` : `/workflows/${id}/runs/${run.id}`,
        since: run?.ended_at ?? null,
      },
    ),
  );
  if (next === null) return found;
  const subject = { kind: "workflow", id: null, name: "More workflows" } as const;
  const path = "/workflows?state=failing";
  return [...found, toItem("workflow_failed", subject, "Their last runs failed.", { path })];
}

/** The channels that the caller sees and that the platform refuses, or that cannot be reached. */
export async function findChannelItems(
  deps: ServiceDeps,
  caller: Caller,
): Promise<AttentionItem[]> {
  const channels = await listChannels(deps, caller);
  return channels.flatMap(({ id, connector, label, state, reason, changed_at: since }) => {
    const isFailing = state === "failed" || (state === "connecting" && reason !== null);
    if (!isFailing) return [];
    const text = `The channel is not connected: ${reason ?? "ask an admin for the reason."}`;
    const path = `/manager/connectors/${encodeURIComponent(connector)}/${id}`;
    return [
      toItem("channel_not_connected", { kind: "channel", id, name: label }, text, { path, since }),
    ];
  });
}
