import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConnector, wick } from "@hub/connector";
import { loadConfig } from "../../config.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { createConnectorRegistry } from "../../connectors/registry.ts";
import { createRowDirectory } from "../../connectors/rows/row-directory.ts";
import { createFreshSignIn } from "../../identity/fresh-sign-in.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import { createPasswords } from "../../identity/password-hashes.ts";
import { defaultBudgetLimits } from "../../lib/budgets/budget-table.ts";
import { createBudgets } from "../../lib/budgets/budgets.ts";
import { noSpaceGuard } from "../../lib/files/space-guard.ts";
import { createDailyAmounts } from "../../lib/limits/daily-amounts.ts";
import { noMetrics } from "../../lib/metrics/metrics.ts";
import { systemTimers } from "../../lib/time/timers.ts";
import { createLargeAnswers } from "../../operations/answers/create-large-answers.ts";
import { openAnswerWorker } from "../../operations/answers/open-answer-worker.ts";
import { createCallLimiter } from "../../operations/calls/call-limits.ts";
import { createOperations } from "../../operations/create-operations.ts";
import { openTestPluginHost } from "../../plugins/testing/open-test-plugin-host.ts";
import { createSecretReferences } from "../../secrets/at-rest/secret-references.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { createRingHolder } from "../../secrets/keys/ring-holder.ts";
import { createKeyFile, readKeyFile } from "../../store/data-folder/key-file.ts";
import type { Db } from "../../store/database/database.ts";
import { createLocalCallCounts } from "../../store/limits/call-counts-local.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { toLiveSettings } from "../../stored-settings.ts";
import { createChannelHealthProblems } from "../../workflows/channels/channel-health-problems.ts";
import { noChats } from "../../workflows/channels/chat-kinds.ts";
import { createDiscoveryQueue } from "../rows/discovery/discovery-queue.ts";
import { createRowStates } from "../rows/states/row-states.ts";
import { actAs } from "./act-as.ts";

const tracker = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "bug",
  tier: "builtin",
  description: "A connector for tests.",
  config: {
    BaseURL: wick("url;required"),
    Token: wick("secret;required"),
    Region: wick("dropdown=eu|us;default=eu"),
    PageSize: wick.int("default=20"),
    Site: wick("locked"),
    Projects: wick("kvlist=id|name"),
    HookKey: wick("secret;regen"),
    Panel: wick("html=widget"),
    Broken: wick("html=sweep"),
  },
  generators: { HookKey: () => "fresh-hook-key" },
  operations: {
    read: {
      description: "Gives its configuration back.",
      input: { Note: wick("") },
      run({ config, progress }) {
        progress(1, 2);
        return { token: config.Token, page: config.PageSize, region: config.Region };
      },
    },
    widget: {
      description: "Serves a widget.",
      configOnly: true,
      run: () => ({ html: "<p>ok</p>" }),
    },
    sweep: {
      description: "Sweeps what is old.",
      adminOnly: true,
      input: { Arg: wick("") },
      run: ({ params }) => ({ swept: params.Arg }),
    },
    leak: {
      description: "Answers fields with names that have a secret.",
      adminOnly: true,
      run: ({ config }) => ({
        fields: { [config.Token]: 1, [`near ${config.Token}`]: 2, site: "x" },
      }),
    },
  },
});

const silent = () => {};
const counts = createLocalCallCounts({ now: Date.now });
const limiter = createCallLimiter({ counts, kind: "user", subject: "You have" });

/** Services with a real database, which `toDb` may change, and a key file in a temporary folder. */
export async function openTestServices(
  env: Record<string, string> = {},
  { toDb = (db: Db) => db } = {},
) {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-services-"));
  const { config } = loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir, ...env } });
  const opened = await openTestStore({ dataDir });
  const store = { ...opened, db: toDb(opened.db) };
  const ring = await createRingHolder(async () =>
    createKeyRing((await readKeyFile(dataDir)) ?? (await createKeyFile(dataDir))),
  );
  const references = createSecretReferences({
    readVariable: (name) => config.readSecretVariable(name),
    folder: config.secretsDir,
  });
  const registry = createConnectorRegistry();
  registry.register(createLocalConnector(tracker, () => ({})));
  const directory = createRowDirectory({
    reads: store.reads,
    db: store.db,
    registry,
    ring,
    references,
    followPlugins: async () => {},
    toSettings: (stored) => toLiveSettings(config, stored),
  });
  const operations = createOperations({
    db: store.db,
    findBaseUrl: async () => "https://hub.example",
    space: noSpaceGuard,
    recordedBytes: createDailyAmounts({ now: () => 0, perDay: 0 }),
    ...createLargeAnswers({ openWorker: openAnswerWorker, timers: systemTimers }),
    budgets: createBudgets({ limits: defaultBudgetLimits }),
    registry,
    directory,
    ring,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    now: () => Date.now(),
    runs: store.runs,
    metrics: noMetrics,
    instanceId: "test",
    readHubId: async () => "00000000-0000-4000-8000-000000000000",
    isMaskingEnabled: true,
    freshDecisions: config.freshDecisions,
    rowTokens: "bound",
    userLimiter: limiter,
    refusedCalls: { admit: () => true, isRefusing: () => false, close: async () => {} },
    rowLimiter: limiter,
    guessLimiter: { admit: () => null },
    outboundAllow: [],
    createRunId: () => Bun.randomUUIDv7(),
    hidePaths: (text) => text,
    logFailure: silent,
  });
  const plugins = openTestPluginHost({ dataDir, db: store.db, registry });
  const now = () => Date.now();
  const openWorkflows = () => Promise.reject(new Error("This test runs no workflow"));
  const deps = {
    store,
    ring,
    references,
    registry,
    operations,
    plugins,
    config,
    freshSignIn: createFreshSignIn({ config, now }),
    now,
    passwords: createPasswords(),
    openWorkflows,
    discoveries: createDiscoveryQueue(),
    chats: noChats,
    channelProblems: createChannelHealthProblems(),
    rowStates: createRowStates({ db: store.db, directory, registry }),
  };
  return {
    /** The services called as the command line. */
    admin: actAs(deps, commandLineActor),
    deps,
    dataDir,
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
