import { systemTimers } from "../lib/time/timers.ts";
import type { Db } from "../store/database/database.ts";
import { toTestPath } from "./admission/call.ts";
import { readBatch } from "./batches/read-batch.ts";
import { createShownSchemas } from "./calls/complete-failure.ts";
import type { ExecuteDeps } from "./calls/execute-deps.ts";
import { checkOperation, executeOperation } from "./calls/execute-operation.ts";
import { executeTask } from "./calls/execute-task.ts";
import { createRunningCalls } from "./calls/running-calls.ts";
import { createRightWatch } from "./calls/watch-right.ts";
import { createToolCatalogue } from "./catalogue/create-catalogue.ts";
import { createClientQuestions } from "./pending/client-questions.ts";
import { createPendingCalls } from "./pending/create-pending-calls.ts";
import { createPendingTasks, type TaskDeps } from "./pending/pending-tasks.ts";
import type { Batches, CallRecords, Calls, Operations, Rows } from "./ports.ts";
import { checkHealth } from "./questions/check-row-health.ts";
import { discover } from "./questions/discover-operations.ts";
import { exploreSystem } from "./questions/explore-system.ts";
import { findServers } from "./questions/find-servers.ts";
import { createLookUpCache } from "./questions/look-up-cache.ts";
import { lookUp } from "./questions/look-up-values.ts";
import { nameAccounts } from "./questions/name-accounts.ts";
import { watchHealth } from "./questions/watch-row-health.ts";
import { answerUnrecorded } from "./records/answer-unrecorded.ts";
import { recordCall } from "./records/record-call.ts";
import type { SemanticDeps } from "./search/semantic-search.ts";
import {
  type CallTracer,
  traceBatches,
  traceCalls,
  traceRecords,
  traceRows,
} from "./trace-operations.ts";

type GivenDeps = Omit<ExecuteDeps, "running" | "rights" | "schemas" | "pending"> &
  Pick<TaskDeps, "cancelElsewhere" | "freshDecisions"> & {
    /** Where calls that wait for a person are stored. */
    db: Db;
    /** The address of a server of this hub, whose pages people open; null if none runs. */
    findBaseUrl(): Promise<string | null>;
    embeddings?: SemanticDeps | null;
    /** Without it, calls record no spans. */
    trace?: CallTracer | null;
  };

/** Builds the call pipeline and the tool catalogue, with all decorators of their ports. */
export function createOperations(given: GivenDeps): Operations {
  const { trace } = given;
  const running = createRunningCalls();
  const rights = createRightWatch({ ...given, running, timers: systemTimers });
  const pending = createPendingCalls(given);
  const deps: ExecuteDeps = {
    ...given,
    running,
    rights,
    pending,
    schemas: createShownSchemas(),
  };
  const plainCalls = createCalls(deps);
  const calls = trace ? traceCalls(plainCalls, trace) : plainCalls;
  const batches = createBatches(deps, calls);
  const rows = createRows(deps);
  const records = createRecords(deps);
  const catalogue = createToolCatalogue(given);
  return {
    calls,
    batches: trace ? traceBatches(batches, trace) : batches,
    rows: trace ? traceRows(rows, trace) : rows,
    records: trace ? traceRecords(records, trace) : records,
    questions: createClientQuestions(given),
    tasks: createPendingTasks({ ...given, running, catalogue, pending }),
    catalogue,
    rights: { checkTargets: rights.checkTargets },
    running: { cancel: running.cancel, count: running.count },
  };
}

function createCalls(deps: ExecuteDeps): Calls {
  return {
    call: (ctx, request) => executeOperation(deps, ctx, request, "client"),
    tryOut: (ctx, request) => executeOperation(deps, ctx, request, "tester"),
    check: (ctx, request) => checkOperation(deps, ctx, request),
  };
}

function createBatches(deps: ExecuteDeps, calls: Calls): Batches {
  return {
    read: (ctx, batch) => readBatch({ ...deps, calls }, ctx, batch),
    tryOut: (ctx, batch) => readBatch({ ...deps, calls: { call: calls.tryOut } }, ctx, batch),
  };
}

function createRows(deps: ExecuteDeps): Rows {
  const lookUps = createLookUpCache(deps);
  return {
    test: (ctx, request) =>
      executeOperation(deps, ctx, request, toTestPath(ctx.caller, request.widget !== undefined)),
    health: (ctx, rowId) => checkHealth(deps, ctx, rowId),
    watchHealth: (ctx, rowId, isChange) => watchHealth(deps, ctx, rowId, isChange),
    discover: (ctx, request) => discover(deps, ctx, request),
    explore: (ctx, request) => exploreSystem(deps, ctx, request),
    findServers: (ctx, request) => findServers(deps, ctx, request),
    async lookUp(ctx, question) {
      const { rowId, source, query } = question;
      const { userId, role, tags } = ctx.caller;
      // Everything that can change an answer, or who may see it, is in the stamp, in the caller or in the caller's accounts.
      const directory = await deps.directory.current(ctx.caller.seen);
      const accounts = await nameAccounts(deps, ctx.caller, directory.find(rowId));
      const asked = [directory.stamp, rowId, source, query, userId, accounts];
      const parts = [...asked, role, ...[...tags].sort()];
      return await lookUps.get(parts, () => lookUp(deps, ctx, question));
    },
  };
}

function createRecords(deps: ExecuteDeps): CallRecords {
  return {
    record: (ctx, { operationKey, request, isWhole = false }, answer) => {
      const description = { connectorId: null, rowLabel: null, operationKey, request };
      return recordCall(deps, ctx, description, answer, { isWhole });
    },
    answer: (ctx, { operationKey, request, isWhole = false }, answer) => {
      const description = { connectorId: null, rowLabel: null, operationKey, request };
      return answerUnrecorded(deps, ctx, description, answer, { isWhole });
    },
    runTask: (ctx, task) => executeTask(deps, ctx, task),
  };
}
