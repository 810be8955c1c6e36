import { createHttpServer } from "@hub/server/http/server.ts";
import { openTestApp, token } from "@hub/server/http/testing/open-test-app.ts";
import { noMetrics } from "@hub/server/lib/metrics/metrics.ts";
import { createManualTimers } from "@hub/server/lib/time/manual-timers.ts";
import { createMcp } from "@hub/server/mcp/mcp.ts";
import { createMetaTools } from "@hub/server/mcp/tools/meta-tools.ts";
import { runApprovedCalls } from "@hub/server/operations/pending/run-approved-calls.ts";
import type { Operations } from "@hub/server/operations/ports.ts";
import {
  openTestOperations,
  toTestCall,
} from "@hub/server/operations/testing/open-test-operations.ts";
import { transaction } from "@hub/server/store/database/database.ts";
import { markUnknownCalls } from "@hub/server/store/pending/end-pending-calls.ts";
import { putRule } from "@hub/server/store/rules/call-rules-table.ts";
import { newRule } from "@hub/server/store/rules/testing/new-rule.ts";
import { type HeaderProxy, startHeaderProxy } from "./add-header-proxy.ts";
import { fixtureTools } from "./fixture-tools.ts";
import { askedOperations, defineTaskConnector, lostOperation } from "./task-connector.ts";
import { defineTaskTools } from "./task-tools.ts";

/** A call that runs for so long becomes a task. */
const slowMs = 30_000;

const { caller } = toTestCall(["team"], { caller: { principal: { kind: "session", id: "" } } });
const buildInfo = { hub_version: "1.2.3", server_build_time: "", server_commit: "" };

/**
 * The hub's MCP and HTTP code, and its operations over a database, with the tools of the suite instead of the meta-tools.
 */
export async function startFixtureServer(): Promise<HeaderProxy> {
  await using opening = new AsyncDisposableStack();
  const timers = createManualTimers(Date.now());
  const connector = defineTaskConnector(() => timers.advance(slowMs));
  const hub = await openTestOperations(connector, { baseUrl: "https://hub.example" });
  opening.defer(() => hub.close());
  const rowId = await hub.addRow({ tags: ["team"] });
  for (const operationKey of askedOperations) {
    const rule = newRule({ id: operationKey, rowId, operationKey, confirm: "client" });
    await transaction(hub.store.db, (trx) => putRule(trx, rule));
  }
  const operations = followFixtures(hub);
  const mcp = createMcp({
    metrics: noMetrics,
    operations,
    ring: hub.ring,
    tools: createMetaTools({ operations, buildInfo, baseUrl: "https://hub.example" }, [
      ...fixtureTools,
      ...defineTaskTools(rowId),
    ]),
    buildInfo,
    sessionIdPolicy: "adopt",
    timers,
    log: { error: () => {}, warn: () => {} },
  });
  opening.defer(() => mcp.close());
  const authenticate = async (sent: string) => (sent === token ? caller : null);
  const server = createHttpServer({
    host: "127.0.0.1",
    port: 0,
    drainMs: 0,
    createApp: ({ port }) => openTestApp({ mcp, authenticate, port }).app,
  });
  opening.defer(() => server.stop());
  const proxy = opening.use(startHeaderProxy(`http://127.0.0.1:${server.port}`, token));
  const owned = opening.move();
  return { url: proxy.url, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

type OpenedOperations = Awaited<ReturnType<typeof openTestOperations>>;

/** Does what the jobs of a server do: an approved call runs at once, and the process of the lost operation has died. */
function followFixtures({ operations, store: { db } }: OpenedOperations): Operations {
  const { signal } = new AbortController();
  const findCaller = async () => caller;
  const runApproved = () =>
    runApprovedCalls({ db, calls: operations.calls, now: Date.now, findCaller }, signal);
  const { questions, tasks } = operations;
  return {
    ...operations,
    questions: {
      ...questions,
      async decide(ctx, id, decision) {
        const isDecided = await questions.decide(ctx, id, decision);
        if (isDecided) await runApproved();
        return isDecided;
      },
    },
    tasks: {
      ...tasks,
      async follow(ctx, running) {
        const task = await tasks.follow(ctx, running);
        if (running.target.operation.key === lostOperation) await markUnknownCalls(db, Date.now());
        return task;
      },
    },
  };
}
