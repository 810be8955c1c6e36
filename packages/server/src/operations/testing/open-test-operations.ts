import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConnectorDefinition } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import { createLocalConnector, type Network } from "../../connectors/local-connector.ts";
import { type ConnectorRegistry, createConnectorRegistry } from "../../connectors/registry.ts";
import { createRowDirectory, type RowDirectory } from "../../connectors/rows/row-directory.ts";
import { type BudgetLimits, defaultBudgetLimits } from "../../lib/budgets/budget-table.ts";
import { createBudgets } from "../../lib/budgets/budgets.ts";
import { noSpaceGuard } from "../../lib/files/space-guard.ts";
import { createDailyAmounts } from "../../lib/limits/daily-amounts.ts";
import { noMetrics } from "../../lib/metrics/metrics.ts";
import { createHidePaths } from "../../lib/text/hide-paths.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { noSecretReferences } from "../../secrets/at-rest/secret-references.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { createRingHolder, type RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { RowTokens } from "../../secrets/value-tokens/sealer.ts";
import type { CallLimit } from "../../store/limits/call-counts.ts";
import { insertRow, updateRow } from "../../store/rows/rows-table.ts";
import { listRuns } from "../../store/runs/runs-table.ts";
import type { Store } from "../../store/store.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { createLargeAnswers } from "../answers/create-large-answers.ts";
import { openAnswerWorker } from "../answers/open-answer-worker.ts";
import { createCallLimiter } from "../calls/call-limits.ts";
import { createOperations } from "../create-operations.ts";
import { createGuessLimiter } from "../guesses/limit-guesses.ts";
import type { CallContext, ProgressReport } from "../operations.ts";
import { createRefusedCalls, type RefusedCalls } from "../records/refused-calls.ts";
import type { SemanticDeps } from "../search/semantic-search.ts";

export const testUserId = "11111111-1111-4111-8111-111111111111";

type Options = {
  user?: Partial<CallLimit>;
  row?: Partial<CallLimit>;
  /** More connectors to register. */
  others?: readonly ConnectorDefinition[];
  /** How long a write waits for a locked database. */
  busyWaitMsMax?: number;
  /** Results with more bytes are cut. */
  resultBytesMax?: number;
  /** How connectors resolve host names, and the non-public addresses that they may call. */
  network?: Network;
  budgets?: Partial<BudgetLimits>;
  /** The default is no limit. */
  guessesPerHour?: number;
  outboundAllow?: readonly string[];
  rowTokens?: RowTokens;
  refusedCalls?: RefusedCalls;
  /** See `HUB_AUDIT_USER_BYTES_PER_DAY`. The default is no limit. */
  userBytesPerDay?: number;
  /** A store that is open already, so that several servers share it. It stays open. */
  store?: Store;
  instanceId?: string;
  ring?: RingHolder;
  now?: () => number;
  freshDecisions?: boolean;
  /** The address of a server. The default is that none runs. */
  baseUrl?: string;
  /** Opens the comparison by meaning over the same database. */
  openEmbeddings?: (store: Store) => SemanticDeps;
};

/** Builds operations over a real database in a temporary folder, for unit tests. */
export async function openTestOperations(connector: ConnectorDefinition, options: Options = {}) {
  const { others = [], busyWaitMsMax } = options;
  const dataDir = await mkdtemp(join(tmpdir(), "hub-operations-"));
  const store =
    options.store ??
    (await openTestStore({ dataDir, ...(busyWaitMsMax !== undefined && { busyWaitMsMax }) }));
  const ring = options.ring ?? (await openTestRing());
  const registry = createConnectorRegistry();
  for (const definition of [connector, ...others]) {
    registry.register(createLocalConnector(definition, () => ({}), options.network));
  }
  const directory = openDirectory({ store, ring, registry }, options);
  const logged: Array<{ fields: object; message: string }> = [];
  const write = (fields: object, message: string) => {
    logged.push({ fields, message });
  };
  const refusedCalls =
    options.refusedCalls ?? createRefusedCalls({ timers: systemTimers, logFailure: () => {} });
  const operations = createOperations({
    space: noSpaceGuard,
    recordedBytes: createDailyAmounts({ now: () => 0, perDay: options.userBytesPerDay ?? 0 }),
    refusedCalls,
    ...createLargeAnswers({ openWorker: openAnswerWorker, timers: systemTimers }),
    budgets: createBudgets({ limits: { ...defaultBudgetLimits, ...options.budgets } }),
    registry,
    directory,
    ring,
    log: { debug: write, info: write, warn: write, error: write },
    now: options.now ?? (() => Date.now()),
    db: store.db,
    findBaseUrl: async () => options.baseUrl ?? null,
    runs: store.runs,
    metrics: noMetrics,
    instanceId: options.instanceId ?? "test",
    readHubId: async () => "00000000-0000-4000-8000-000000000000",
    isMaskingEnabled: true,
    freshDecisions: options.freshDecisions ?? false,
    rowTokens: options.rowTokens ?? "bound",
    userLimiter: createCallLimiter({ counts: store.callCounts, kind: "user", subject: "You have" }),
    rowLimiter: createCallLimiter({ counts: store.callCounts, kind: "row", subject: "You have" }),
    guessLimiter: createGuessLimiter({
      counts: store.hourlyCounts,
      perHour: options.guessesPerHour ?? 1_000_000_000,
    }),
    outboundAllow: options.outboundAllow ?? [],
    embeddings: options.openEmbeddings?.(store) ?? null,
    createRunId: () => Bun.randomUUIDv7(),
    hidePaths: createHidePaths([dataDir]),
    logFailure: (report) => write(report, "a call failed"),
  });
  return {
    operations,
    directory,
    dataDir,
    store,
    registry,
    ring,
    logged,
    addRow: (row: TestRow) => addRow({ store, ring }, { connectorKey: connector.key, ...row }),
    listRuns: (limit = 100) => listRuns(store.db, { limit }),
    async close() {
      await refusedCalls.close();
      if (options.store === undefined) await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

export function openTestRing(): Promise<RingHolder> {
  return createRingHolder(async () => createKeyRing([new Uint8Array(32).fill(7)]));
}

type DirectoryParts = { store: Store; ring: RingHolder; registry: ConnectorRegistry };

function openDirectory({ store, ring, registry }: DirectoryParts, options: Options): RowDirectory {
  const { user = {}, row = {}, resultBytesMax = 4096 } = options;
  return createRowDirectory({
    reads: store.reads,
    db: store.db,
    registry,
    ring,
    references: noSecretReferences,
    followPlugins: async () => {},
    toSettings: () => ({
      resultBytesMax,
      auditRetentionDays: 7,
      auditBytesMax: 0,
      workflowRetentionDays: 30,
      userCallsPerMinute: user.perMinute ?? 0,
      userCallsAtOnce: user.atOnce ?? 0,
      rowCallsPerMinute: row.perMinute ?? 0,
      rowCallsAtOnce: row.atOnce ?? 0,
    }),
  });
}

type TestRow = {
  tags?: string[];
  label?: string;
  description?: string;
  disabled?: boolean;
  /** The default is the first connector. */
  connectorKey?: string;
  values?: Record<string, string>;
  secrets?: Record<string, string>;
};

/** Adds a row, and returns its id. Values under `secrets` are encrypted. */
async function addRow(
  { store, ring }: Pick<DirectoryParts, "store" | "ring">,
  row: TestRow & { connectorKey: string },
): Promise<string> {
  const id = crypto.randomUUID();
  const plain = Object.entries(row.values ?? {});
  const secret = Object.entries(row.secrets ?? {});
  await insertRow(store.db, {
    id,
    connectorKey: row.connectorKey,
    label: row.label ?? "Row",
    description: row.description ?? "",
    tags: row.tags ?? [],
    values: [
      ...plain.map(([key, value]) => ({ key, value, sealed: null })),
      ...secret.map(([key, value]) => {
        const location = { table: "row_values", row: id, field: key };
        return { key, value: null, sealed: sealAtRest(ring.current(), location, value) };
      }),
    ],
    createdAt: Date.now(),
  });
  if (row.disabled) await updateRow(store.db, id, { disabled: true }, Date.now());
  return id;
}

/** The context of a call by a user with these tags. Each part can be replaced. */
export function toTestCall(
  tags: string[] = [],
  parts: { caller?: Partial<Caller>; signal?: AbortSignal; reports?: ProgressReport[] } = {},
): CallContext {
  const { reports } = parts;
  return {
    caller: {
      userId: testUserId,
      email: "ada@example.com",
      name: "Ada",
      role: "user",
      tags: new Set(tags),
      tokenId: "token-1",
      ...parts.caller,
    },
    origin: { source: "mcp", ip: "127.0.0.1", userAgent: "test" },
    signal: parts.signal ?? new AbortController().signal,
    ...(reports && { onProgress: (report: ProgressReport) => reports.push(report) }),
  };
}
