import type { Engine } from "./engine/engine.ts";
import type { Cron } from "./triggers/cron/cron.ts";
import type { WorkflowDirectory } from "./workflow-directory.ts";

/** The parts of the hub that run workflows. */
export type Workflows = {
  engine: Engine;
  directory: WorkflowDirectory;
  /** Only in a server. */
  cron: Cron | null;
};

/** Opens the workflows on first use, because a hub without workflows does not need them in memory. */
export type OpenWorkflows = () => Promise<Workflows>;
