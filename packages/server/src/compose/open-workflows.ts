import type { Config } from "../config.ts";
import type { RowDirectory } from "../connectors/rows/row-directory.ts";
import { findAdmitted } from "../identity/find-admitted.ts";
import { findCaller } from "../identity/find-caller.ts";
import type { ProviderWatch } from "../identity/sso/watch-provider.ts";
import type { Instance } from "../jobs/keep-instance.ts";
import type { SpaceGuard } from "../lib/files/space-guard.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { WorkerQueue } from "../operations/answers/worker-queue.ts";
import type { Operations } from "../operations/ports.ts";
import type { SecretReferences } from "../secrets/at-rest/secret-references.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";
import { hasWorkflows } from "../store/workflows/workflows-table.ts";
import type { CodeRunner } from "../workflows/code/run-code.ts";
import type { Engine, EngineDeps } from "../workflows/engine/engine.ts";
import { createRunStorage } from "../workflows/engine/limits/run-storage.ts";
import { findHubTimezone } from "../workflows/triggers/hub-timezone.ts";
import type { OpenWorkflows, Workflows } from "../workflows/workflows.ts";

type WorkflowParts = {
  store: Store;
  config: Config;
  log: Log;
  ring: RingHolder;
  references: SecretReferences;
  directory: RowDirectory;
  operations: Pick<Operations, "calls" | "catalogue" | "records">;
  answerWorker: WorkerQueue;
  codeRunner: CodeRunner;
  instance: Pick<Instance, "id" | "kind">;
  space: SpaceGuard;
  /** Null if users are not followed at a provider. */
  watch: Pick<ProviderWatch, "admit"> | null;
  now(): number;
};

export type WorkflowHost = {
  open: OpenWorkflows;
  /** Opens the workflows if there are any. A server asks from time to time. */
  openIfAny(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Runs workflows in a server. In other processes, runs are only stored: a server takes them up.
 */
export function openWorkflows(parts: WorkflowParts): WorkflowHost {
  let opened: Promise<Workflows> | null = null;
  const open: OpenWorkflows = () => {
    if (opened !== null) return opened;
    opened = load(parts);
    opened.catch(() => {
      opened = null;
    });
    return opened;
  };
  return {
    open,
    async openIfAny() {
      if (opened === null && (await hasWorkflows(parts.store.db))) await open();
    },
    async close() {
      const workflows = await opened;
      await workflows?.cron?.stop();
      await workflows?.engine.stop();
      await workflows?.requestLog.close();
    },
  };
}

async function load(parts: WorkflowParts): Promise<Workflows> {
  const { store, config, log, ring, operations, instance, now } = parts;
  const { createEngine } = await import("../workflows/engine/create-engine.ts");
  const { createNodeTypes } = await import("../workflows/engine/nodes/create-node-types.ts");
  const { createOpenApproval } = await import("../workflows/engine/nodes/approval-node.ts");
  const { createOpenHttp } = await import("../workflows/engine/nodes/http-node.ts");
  const { createOpenChannel } = await import("../workflows/engine/nodes/channel-node.ts");
  const { createOpenCode } = await import("../workflows/engine/nodes/code-node.ts");
  const { createOpenOperation } = await import("../workflows/engine/nodes/operation-node.ts");
  const { createSealLarge } = await import("../workflows/engine/secrets/seal-large.ts");
  const { createWorkflowDirectory } = await import("../workflows/workflow-directory.ts");
  const { findErrorRuns } = await import("../workflows/triggers/find-error-runs.ts");
  const { createCron } = await import("../workflows/triggers/cron/cron.ts");
  const { createSignalQueue } = await import("../workflows/queue/signal-queue.ts");
  const { findUsedRow } = await import("../workflows/engine/secrets/find-used-row.ts");
  const { createRequestLog } = await import("../workflows/webhooks/deliveries/request-log.ts");
  const { openHide } = await import("../workflows/webhooks/open-hide.ts");
  const { readBody } = await import("../store/workflows/workflow-bodies.ts");
  const { putWebhookRequests } = await import("../store/workflows/webhook-requests.ts");
  const { db, reads } = store;
  const isServer = instance.kind === "serve";
  const logFailure: EngineDeps["logFailure"] = (err, place) =>
    log.error({ ...place, err }, "A step of a workflow failed inside the hub");
  const findOwner = (userId: string) =>
    findAdmitted(parts.watch, () => findCaller({ reads }, userId));
  const directory = createWorkflowDirectory({
    db,
    reads,
    ring,
    managed: parts.references.managed,
  });
  const engine: Engine = createEngine({
    db,
    writer: store.workflowRuns,
    directory,
    ring,
    isMaskingEnabled: !config.encDisable,
    rowTokens: config.rowTokens,
    sealLarge: createSealLarge({
      answerWorker: parts.answerWorker,
      isMaskingEnabled: !config.encDisable,
    }),
    nodeTypes: createNodeTypes({
      openOperation: createOpenOperation(operations),
      openApproval: createOpenApproval({
        db,
        catalogue: operations.catalogue,
        directory: parts.directory,
      }),
      openCode: createOpenCode(parts),
      openChannel: createOpenChannel({ ...operations, directory: parts.directory }),
      openHttp: createOpenHttp({
        records: operations.records,
        isForUsers: config.workflowHttp === "users",
        allow: config.workflowOutboundAllow,
      }),
    }),
    findUsedRow: (toolId) => findUsedRow({ directory: parts.directory }, toolId),
    readBody: (bodyId) => readBody(db, bodyId),
    findCaller: findOwner,
    findErrorRuns: (run, failure) =>
      findErrorRuns({ db, directory, plans: engine.plans, logFailure }, run, failure),
    createRunId: () => Bun.randomUUIDv7("hex", now()),
    instanceId: instance.id,
    space: parts.space,
    storage: createRunStorage({ now, perDay: config.workflowBytesPerDay }),
    queue: createSignalQueue({ signals: store.signals, timers: systemTimers }),
    now,
    callsAtOnce: config.workflowCallsAtOnce,
    timers: systemTimers,
    logFailure,
    // Only a server works on runs: other processes may end at any moment.
    ...(!isServer && { activeMax: 0 }),
  });
  const hideDeps = { directory, ring, isMaskingEnabled: !config.encDisable };
  const requestLog = createRequestLog({
    put: (requests, keptMax) => putWebhookRequests(db, requests, keptMax),
    openHide: (id) => openHide({ ...hideDeps, rowTokens: config.rowTokens }, id),
    timers: systemTimers,
    logFailure: (err) =>
      log.error({ err }, "The list of webhook requests was not written; it is tried again"),
  });
  // In other processes it only looks for the end of runs that they wait for.
  engine.start();
  const opened = { engine, directory, requestLog, findCaller: findOwner };
  if (!isServer) return { ...opened, cron: null };
  const cron = createCron({
    db,
    readRevision: reads.readRevision,
    directory,
    engine,
    now,
    timers: systemTimers,
    findCaller: findOwner,
    timezone: findHubTimezone(),
    logFailure: (err, of) =>
      log.error(
        { ...of, err },
        "A tick of a cron trigger failed; it is tried again, and logged again after one has succeeded",
      ),
  });
  cron.start();
  return { ...opened, cron };
}
