import { defineConnector, wick } from "@hub/connector";
import type { Principal } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import { transaction } from "../../../store/database/database.ts";
import { putPendingDecision } from "../../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../../store/pending/pending-calls-table.ts";
import { insertPermit } from "../../../store/pending/permits-table.ts";
import { putRule } from "../../../store/rules/call-rules-table.ts";
import { newRule } from "../../../store/rules/testing/new-rule.ts";
import type { ExecuteRequest } from "../../operations.ts";
import { openTestOperations, toTestCall } from "../../testing/open-test-operations.ts";
import { runApprovedCalls } from "../run-approved-calls.ts";

const hourMs = 3_600_000;

/** Operations on rows of which a person is asked before `send` and `fetch`, and not before `look`. */
export async function openAskedHub({
  principal = { kind: "session", id: "" },
  ...options
}: Parameters<typeof openTestOperations>[1] & { principal?: Principal } = {}) {
  const sent: unknown[] = [];
  const connector = defineConnector({
    key: "mailer",
    name: "Mailer",
    icon: "mail",
    tier: "builtin",
    description: "Sends mail.",
    config: { Place: wick("default=home") },
    operations: {
      send: {
        description: "Sends a mail.",
        input: { Text: wick("required"), Password: wick("secret") },
        run({ params }) {
          sent.push(params.Text);
          return { sent: params.Text };
        },
      },
      fetch: {
        description: "Reads mail of a person.",
        reads: true,
        input: { Text: wick("required") },
        run({ params }) {
          sent.push(params.Text);
          return { fetched: params.Text };
        },
      },
      look: { description: "Reads mail.", reads: true, run: () => ({ mails: 0 }) },
    },
  });
  const hub = await openTestOperations(connector, { baseUrl: "https://hub.example", ...options });
  const { db } = hub.store;
  const caller = { principal };
  const toContext = () => toTestCall(["team"], { caller });
  return {
    ...hub,
    db,
    sent,
    toContext,
    async addAskedRow(rule: { runsOnApproval?: boolean } = {}, label?: string): Promise<string> {
      const rowId = await hub.addRow({ tags: ["team"], ...(label !== undefined && { label }) });
      for (const operationKey of ["send", "fetch"]) {
        const asked = newRule({ id: crypto.randomUUID(), rowId, operationKey });
        await transaction(db, (trx) => putRule(trx, { ...asked, ...rule }));
      }
      return rowId;
    },
    call: (rowId: string, params: Record<string, unknown>, more: Partial<ExecuteRequest> = {}) =>
      hub.operations.calls.call(toContext(), { toolId: `conn:${rowId}/send`, params, ...more }),
    /** Makes a call that must be asked about, and returns the id of its question. */
    async ask(rowId: string, params: Record<string, unknown>): Promise<string> {
      const request = { toolId: `conn:${rowId}/send`, params };
      const failure: unknown = await hub.operations.calls
        .call(toContext(), request)
        .catch((thrown: unknown) => thrown);
      if (!(failure instanceof HubError) || failure.code !== "approval_required") {
        throw new Error("The call was not asked about", { cause: failure });
      }
      return String(failure.detail.pending_id);
    },
    decide(id: string, state: "approved" | "denied") {
      const at = Date.now();
      const until = { approvedUntil: at + hourMs / 4, keepUntil: at + hourMs };
      const who = { by: "ada", byEmail: "ada@example.com", via: "page", comment: null };
      return putPendingDecision(db, { id, state, at, ...who, ...until });
    },
    /** Permits the operation of a pending call for an hour, as its decision on a page can. */
    async permit(callId: string): Promise<void> {
      const call = await findPendingCall(db, callId);
      if (call === null) throw new Error("There is no such call");
      const at = Date.now();
      await insertPermit(db, {
        id: crypto.randomUUID(),
        userId: call.userId,
        principal: call.principal,
        principalName: call.principalName,
        rowId: call.rowId,
        operationKey: call.operationKey,
        account: "",
        ruleId: call.ruleId ?? "",
        ruleRevision: call.ruleRevision ?? 0,
        basis: call.basis,
        fixed: {},
        createdAt: at,
        expiresAt: at + hourMs,
        grantedBy: "ada",
        grantedByEmail: "ada@example.com",
        endedAt: null,
        callId,
      });
    },
    /** What the job of a server does. */
    async runApproved(): Promise<void> {
      const { signal } = new AbortController();
      const findCaller = async () => toContext().caller;
      const deps = { db, calls: hub.operations.calls, now: () => Date.now(), findCaller };
      await runApprovedCalls(deps, signal);
    },
    findCall: (id: string) => findPendingCall(db, id),
    findState: async (id: string) => (await findPendingCall(db, id))?.state,
  };
}
