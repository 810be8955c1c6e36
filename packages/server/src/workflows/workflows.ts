import type { Caller } from "../caller.ts";
import type { Engine } from "./engine/engine.ts";
import type { Cron } from "./triggers/cron/cron.ts";
import type { RequestLog } from "./webhooks/deliveries/request-log.ts";
import type { DraftDirectory, WorkflowDirectory } from "./workflow-directory.ts";

/** The parts of the hub that run workflows. */
export type Workflows = {
  engine: Engine;
  directory: WorkflowDirectory & DraftDirectory;
  /** The last requests to webhooks. */
  requestLog: RequestLog;
  /** Only in a server. */
  cron: Cron | null;
  /** Null if the user does not exist or is not active. */
  findCaller(userId: string): Promise<Caller | null>;
};

/** Opens the workflows on first use, because a hub without workflows does not need them in memory. */
export type OpenWorkflows = () => Promise<Workflows>;
