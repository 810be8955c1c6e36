import type { Config } from "../config.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { RowDirectory } from "../connectors/rows/row-directory.ts";
import type { Instance } from "../jobs/keep-instance.ts";
import { createBudgets } from "../lib/budgets/budgets.ts";
import { createSpaceGuard, noSpaceGuard, type SpaceGuard } from "../lib/files/space-guard.ts";
import { createDailyAmounts } from "../lib/limits/daily-amounts.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import { createHidePaths } from "../lib/text/hide-paths.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import { metaTools } from "../mcp/tools/meta-tools.ts";
import { createLargeAnswers } from "../operations/answers/create-large-answers.ts";
import { openAnswerWorker } from "../operations/answers/open-answer-worker.ts";
import type { WorkerQueue } from "../operations/answers/worker-queue.ts";
import { createCallLimiter } from "../operations/calls/call-limits.ts";
import { createOperations } from "../operations/create-operations.ts";
import { createGuessLimiter } from "../operations/guesses/limit-guesses.ts";
import type { Operations } from "../operations/ports.ts";
import { createRefusedCalls } from "../operations/records/refused-calls.ts";
import { createCallTracer } from "../operations/trace-operations.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import { requestCancellation } from "../store/runs/run-cancellations.ts";
import { findBaseUrl } from "../store/servers/running-servers.ts";
import type { Store } from "../store/store.ts";
import { type Embeddings, openEmbeddings } from "./open-embeddings.ts";

type OperationParts = {
  config: Config;
  store: Store;
  log: Log;
  ring: RingHolder;
  registry: ConnectorRegistry;
  directory: RowDirectory;
  instance: Pick<Instance, "id" | "kind">;
  metrics: Metrics;
  tracing: Tracing | null;
  now: () => number;
  readHubId(): Promise<string>;
};

export type OpenedOperations = {
  operations: Operations;
  answerWorker: WorkerQueue;
  /** Null without an endpoint, and in commands. */
  embeddings: Embeddings | null;
  space: SpaceGuard;
};

export const metaToolNames: ReadonlySet<string> = new Set(metaTools.map(({ name }) => name));

/** The call pipeline and the tool catalogue, with what they write to and are limited by. */
export async function openOperations(
  {
    config,
    store,
    log,
    ring,
    registry,
    directory,
    instance,
    metrics,
    tracing,
    now,
    readHubId,
  }: OperationParts,
  resources: AsyncDisposableStack,
): Promise<OpenedOperations> {
  const largeAnswers = createLargeAnswers({
    openWorker: openAnswerWorker,
    timers: systemTimers,
  });
  resources.defer(() => largeAnswers.answerWorker.close());
  const budgets = createBudgets({
    limits: {
      secretChars: config.budgetSecretChars,
      memoryBytes: config.budgetMemoryBytes,
    },
  });
  // A command does not search.
  const embeddings =
    instance.kind === "cli"
      ? null
      : await openEmbeddings({ config, store, log, instanceId: instance.id });
  if (embeddings !== null) resources.defer(() => embeddings.close());
  const counts = store.callCounts;
  const refusedCalls = createRefusedCalls({
    timers: systemTimers,
    logFailure: (err) => log.error({ err }, "Refused calls could not be recorded"),
  });
  resources.defer(() => refusedCalls.close());
  // A PostgreSQL server keeps its data on another disk.
  const space = store.isShared
    ? noSpaceGuard
    : createSpaceGuard({ folder: config.dataDir, bytesMin: config.diskFreeBytesMin, log });
  const operations = createOperations({
    trace: tracing === null ? null : createCallTracer(tracing, metaToolNames),
    space,
    recordedBytes: createDailyAmounts({ now, perDay: config.auditUserBytesPerDay }),
    refusedCalls,
    ...largeAnswers,
    budgets,
    embeddings,
    registry,
    directory,
    ring,
    log,
    now,
    db: store.db,
    findBaseUrl: () => findBaseUrl(store, instance, now()),
    cancelElsewhere: async (runId, reason) => {
      await requestCancellation(store.db, { runId, reason }, now());
      await store.signals.send("cancel");
    },
    runs: store.runs,
    metrics,
    instanceId: instance.id,
    readHubId,
    isMaskingEnabled: !config.encDisable,
    freshDecisions: config.freshDecisions,
    rowTokens: config.rowTokens,
    userLimiter: createCallLimiter({ counts, kind: "user", subject: "You have" }),
    rowLimiter: createCallLimiter({
      counts,
      kind: "row",
      subject: "The callers of this row have",
    }),
    guessLimiter: createGuessLimiter({
      counts: store.hourlyCounts,
      perHour: config.budgetGuesses,
    }),
    outboundAllow: config.outboundAllow,
    // With the time that all servers share, because pages of runs follow the order of their ids.
    createRunId: () => Bun.randomUUIDv7("hex", now()),
    hidePaths: createHidePaths([config.dataDir]),
    logFailure: (report) => log.error(report, "A call failed"),
  });
  return { operations, answerWorker: largeAnswers.answerWorker, embeddings, space };
}
