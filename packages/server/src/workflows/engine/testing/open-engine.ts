import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@hub/connector";
import { type WorkflowBodyInput, workflowBodySchema } from "@hub/contract/workflow-body.ts";
import type { Caller } from "../../../caller.ts";
import { noSpaceGuard } from "../../../lib/files/space-guard.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { createKeyRing } from "../../../secrets/keys/key-ring.ts";
import type { Store } from "../../../store/store.ts";
import { openTestStore } from "../../../store/testing/open-test-store.ts";
import { findWorkflowRun } from "../../../store/workflow-runs/workflow-runs-table.ts";
import { listSteps } from "../../../store/workflow-runs/workflow-steps.ts";
import { createSignalQueue } from "../../queue/signal-queue.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import type { RunRequest } from "../accept/prepare-run.ts";
import { waitForRun } from "../child-runs/run-links.ts";
import { createEngine } from "../create-engine.ts";
import type { Engine, EngineDeps } from "../engine.ts";
import { createRunStorage } from "../limits/run-storage.ts";
import { createNodeTypes } from "../nodes/create-node-types.ts";
import type { OpenStep } from "../step/open-step.ts";

export const owner: Caller = {
  userId: "00000000-0000-4000-8000-00000000000a",
  email: "ann@example.com",
  name: "Ann",
  role: "user",
  tags: new Set(),
  tokenId: null,
};

export type TestEngine = AsyncDisposable & {
  engine: Engine;
  store: Store;
  dataDir: string;
  failures: unknown[];
  /** The workflows that exist, by id. */
  workflows: Map<string, KnownWorkflow>;
  addWorkflow(body: WorkflowBodyInput, given?: Partial<KnownWorkflow>): KnownWorkflow;
  /** Starts a run by the first trigger, in the process of `by`. The default is `engine`. */
  run(workflow: KnownWorkflow, given?: Partial<RunRequest>, by?: Engine): Promise<string>;
  /** Waits until the run has left its process, and returns it with its steps. */
  untilParked(runId: string): ReturnType<typeof readRun>;
  /** The run with its steps, as they are on disk now. */
  read(runId: string): ReturnType<typeof readRun>;
  /** Resolves when the run has ended. */
  ended(runId: string): Promise<void>;
  readBody: EngineDeps["readBody"];
  /** A second process on the same database. */
  openAnother(given?: Partial<EngineDeps>): Engine;
  /** A second process with a connection of its own. */
  openServer(given?: Partial<EngineDeps>): Promise<Engine>;
};

const noOperation: OpenStep<"operation"> = () => {
  throw new Error("This test calls no operation");
};

/** Opens stores of one new database. */
export type OpenStores = (dataDir: string) => Promise<AsyncDisposable & { open(): Promise<Store> }>;

let openStores: OpenStores = async (dataDir) => ({
  open: () => openTestStore({ dataDir }),
  [Symbol.asyncDispose]: async () => {},
});

/** Lets the engines of a test file use databases of another kind. Returns a function that ends this. */
export function useStores(open: OpenStores): () => void {
  const before = openStores;
  openStores = open;
  return () => {
    openStores = before;
  };
}

/** An engine on a database of its own, whose operation nodes call `operation`. */
export async function openEngine(
  operation: OpenStep<"operation"> = noOperation,
  toDeps: (engineDeps: EngineDeps) => Partial<EngineDeps> = () => ({}),
  /** The default is a store of a database of its own. */
  given?: Store,
): Promise<TestEngine> {
  const resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-engine-"));
  resources.defer(() => rm(dataDir, { recursive: true }));
  const stores = resources.use(await openStores(dataDir));
  const openOwnStore = async () => {
    const opened = await stores.open();
    resources.defer(() => opened.close());
    return opened;
  };
  const store = given ?? (await openOwnStore());
  const ring = createKeyRing([new Uint8Array(32).fill(7)]);
  const bodies = new Map<string, string>();
  const workflows = new Map<string, KnownWorkflow>();
  const failures: unknown[] = [];
  const deps = (instanceId: string): EngineDeps => ({
    ...toStoreDeps(store),
    directory: { find: async (id) => workflows.get(id) ?? null },
    space: noSpaceGuard,
    storage: createRunStorage({ now: () => 0, perDay: 0 }),
    ring: { current: () => ring },
    isMaskingEnabled: true,
    rowTokens: "bound",
    // Masks keep JSON values.
    sealLarge: async (_, mask, value) => mask.sealJson(value) as Json,
    nodeTypes: createNodeTypes({ openOperation: operation, openHttp: refuseHttp }),
    findUsedRow: async () => null,
    readBody: async (id) => bodies.get(id) ?? null,
    findCaller: async (id) => (id === owner.userId ? owner : null),
    findErrorRuns: async () => [],
    createRunId: () => Bun.randomUUIDv7(),
    instanceId,
    now: () => Date.now(),
    timers: systemTimers,
    // Calls of tests may never end.
    drainMs: 50,
    logFailure: (err) => failures.push(err),
  });
  const openAnother = (given: Partial<EngineDeps> = {}) => {
    const own = deps(crypto.randomUUID());
    const engine = createEngine({ ...own, ...toDeps(own), ...given });
    resources.defer(() => engine.stop());
    engine.start();
    return engine;
  };
  const engine = openAnother();
  return {
    engine,
    store,
    dataDir,
    failures,
    workflows,
    openAnother,
    openServer: async (given = {}) =>
      openAnother({ ...toStoreDeps(await openOwnStore()), ...given }),
    addWorkflow(body, given = {}) {
      const id = given.id ?? `wf-${workflows.size}`;
      const bodyId = `body-${id}-${bodies.size}`;
      bodies.set(bodyId, JSON.stringify(workflowBodySchema.parse(body)));
      const facts = { name: id, ownerId: owner.userId, enabled: true, version: 1, tags: [] };
      const bodyIds = { publishedBodyId: bodyId };
      const secrets = async () => new Map<string, string>();
      const workflow = { id, ...facts, ...bodyIds, runBy: "tags" as const, secrets, ...given };
      workflows.set(id, workflow);
      return workflow;
    },
    async run(workflow, given = {}, by = engine) {
      const plan = await by.plans.load(workflow.publishedBodyId ?? "");
      const [trigger] = plan.body.triggers;
      if (trigger === undefined) throw new Error("The workflow has no trigger");
      const request = {
        workflow,
        plan,
        version: 1,
        trigger,
        payload: {},
        startedBy: "test",
        starterIds: [],
      };
      const { runId } = await by.accept({ ...request, ...given });
      return runId;
    },
    async untilParked(runId) {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const unsubscribe = engine.watch.subscribe(runId, resolve);
        const run = await readRun(store, runId);
        const isParked = run.state !== "running" && run.state !== "queued";
        if (!isParked) await promise;
        unsubscribe();
        if (isParked) return run;
      }
    },
    read: (runId) => readRun(store, runId),
    async ended(runId) {
      const waits = { db: store.db, watch: engine.watch };
      await waitForRun(waits, runId, new AbortController().signal);
    },
    readBody: async (id) => bodies.get(id) ?? null,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function toStoreDeps(store: Store): Pick<EngineDeps, "db" | "writer" | "queue"> {
  const queue = createSignalQueue({ signals: store.signals, timers: systemTimers });
  return { db: store.db, writer: store.workflowRuns, queue };
}

const refuseHttp: OpenStep<"http"> = () => {
  throw new Error("This test sends no request");
};

async function readRun({ db }: Store, runId: string) {
  const run = await findWorkflowRun(db, runId);
  if (run === null) throw new Error(`There is no run ${runId}`);
  const steps = await listSteps(db, runId);
  const outputs = Object.fromEntries(
    steps
      .filter(({ item, output }) => item === -1 && output !== null)
      .map(({ nodeId, output }) => [nodeId, JSON.parse(output ?? "null")]),
  );
  return { ...run, steps, outputs, error: run.error === null ? null : JSON.parse(run.error) };
}
