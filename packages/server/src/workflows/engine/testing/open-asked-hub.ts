import { defineConnector, UpstreamError, wick } from "@hub/connector";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import { toApprovedUntil } from "../../../operations/pending/to-approved-until.ts";
import { transaction } from "../../../store/database/database.ts";
import { type AskedCall, listAskedCalls } from "../../../store/pending/asked-calls.ts";
import { putPendingDecision } from "../../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../../store/pending/pending-calls-table.ts";
import { putRule } from "../../../store/rules/call-rules-table.ts";
import { newRule } from "../../../store/rules/testing/new-rule.ts";
import { wakeWorkflowRun } from "../../../store/workflow-runs/workflow-runs-table.ts";
import type { Engine, EngineDeps } from "../engine.ts";
import { openCallEngine } from "./open-call-engine.ts";
import { owner } from "./open-engine.ts";

/** What the connector of a test has got, and how it answers. */
export type Sent = {
  texts: string[];
  /** How often the next calls of `put` fail. */
  failures: number;
  /** What calls wait for before they answer. */
  hold: Promise<void> | null;
};

const toConnector = (sent: Sent) =>
  defineConnector({
    key: "mailer",
    name: "Mailer",
    icon: "mail",
    tier: "builtin",
    description: "Sends mail.",
    config: {},
    operations: {
      send: {
        description: "Sends a mail.",
        destructive: true,
        input: { Text: wick("required") },
        async run({ params }) {
          sent.texts.push(String(params.Text));
          if (sent.hold !== null) await sent.hold;
          return { sent: params.Text };
        },
      },
      put: {
        description: "Puts a mail.",
        destructive: true,
        idempotent: true,
        input: { Text: wick("required") },
        async run({ params }) {
          sent.texts.push(String(params.Text));
          if (sent.hold !== null) await sent.hold;
          if (sent.failures-- > 0)
            throw new UpstreamError("The host answered 500.", { httpStatus: 500 });
          return { sent: params.Text };
        },
      },
      look: {
        description: "Reads mail.",
        run() {
          sent.texts.push("look");
          return { mails: 0 };
        },
      },
    },
  });

/** An engine with a row `mailer` about whose calls a rule asks the owner of the workflow. */
export async function openAskedHub(
  sent: Sent,
  options: Pick<NonNullable<Parameters<typeof openCallEngine>[1]>, "engine" | "toCalls"> & {
    /** The clock of calls and decisions. */
    now?: () => number;
  } = {},
) {
  const { now = Date.now, ...given } = options;
  const operations = { baseUrl: "https://hub.example", now };
  const hub = await openCallEngine(toConnector(sent), { operations, ...given });
  const { db } = hub.calls.store;
  const rowId = await hub.calls.addRow({ tags: ["everyone"] });
  const rule = newRule({ id: crypto.randomUUID(), rowId });
  await transaction(db, (trx) => putRule(trx, rule));
  /** Which process has the run is not known, and each would notice by itself in half a second. */
  const engines = [hub.engine];
  return {
    ...hub,
    openAnother(given?: Partial<EngineDeps>): Engine {
      const engine = hub.openAnother(given);
      engines.push(engine);
      return engine;
    },
    db,
    rowId,
    toolId: (operation: string) => toToolId(rowId, operation),
    asked: (runId: string) => listAskedCalls(db, { ownerId: owner.userId, runId }),
    /** As the service decides: the decision and the wake of the run are one transaction. */
    async decide(
      { id }: Pick<AskedCall, "id">,
      runId: string,
      state: "approved" | "denied" = "approved",
      comment: string | null = null,
    ) {
      const at = now();
      const call = await findPendingCall(db, id);
      if (call === null) throw new Error("There is no such call");
      const until = { approvedUntil: toApprovedUntil(call, at), keepUntil: at + 900_000 };
      const who = { by: "ada", byEmail: "ada@example.com", via: "session", comment };
      await transaction(db, async (trx) => {
        await putPendingDecision(trx, { id, state, at, ...who, ...until });
        await wakeWorkflowRun(trx, runId, at);
      });
      for (const engine of engines) engine.wake({ runId, dueAt: at });
    },
    /** Approves each call of the run that people are asked about, until the run has ended. */
    async decideAll(runId: string): Promise<void> {
      for (;;) {
        const { state } = await hub.read(runId);
        if (state !== "running" && state !== "waiting" && state !== "queued") return;
        const calls = await listAskedCalls(db, { ownerId: owner.userId, runId });
        for (const call of calls) if (call.state === "open") await this.decide(call, runId);
        await Bun.sleep(5);
      }
    },
    /** Waits until the run is in this state. */
    async until(
      runId: string,
      state: string,
      isThere: (calls: AskedCall[]) => boolean = () => true,
    ) {
      for (;;) {
        const { promise: change, resolve } = Promise.withResolvers<void>();
        const ends = engines.map(({ watch }) => watch.subscribe(runId, resolve));
        const run = await hub.read(runId);
        const calls = await listAskedCalls(db, { ownerId: owner.userId, runId });
        const isOver = ["succeeded", "failed", "cancelled"].includes(run.state);
        if (isOver && run.state !== state)
          throw new Error(`The run is ${run.state}: ${run.error?.message}`);
        const isDone = run.state === state && isThere(calls);
        if (!isDone) await change;
        for (const end of ends) end();
        if (isDone) return run;
      }
    },
  };
}
