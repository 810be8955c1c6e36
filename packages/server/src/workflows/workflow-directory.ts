import { openAtRest } from "../secrets/at-rest.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import { toWorkflowSecretLocation } from "../secrets/workflow-secret-location.ts";
import type { Db } from "../store/database.ts";
import type { HotReads } from "../store/hot-reads.ts";
import { findTrialEnd } from "../store/workflow-bodies.ts";
import { listWorkflowSecrets } from "../store/workflow-secrets.ts";
import { findRunnable, type RunnableWorkflow } from "../store/workflows.ts";

/** A workflow as it is now, with what its runs need. */
export type KnownWorkflow = RunnableWorkflow & {
  /** Until when the draft can be tried, if a model saved it. Null for a person's draft. */
  draftTrialUntil: number | null;
  /** The secrets in plaintext, by name. Read on first use. */
  secrets(): Promise<ReadonlyMap<string, string>>;
};

export type WorkflowDirectory = {
  /** Null if it does not exist. A change by any process is seen by the next call. */
  find(id: string): Promise<KnownWorkflow | null>;
};

type DirectoryDeps = {
  db: Db;
  reads: Pick<HotReads, "readRevision">;
  ring: Pick<RingHolder, "current">;
};

/** More workflows than this are read again, so that memory stays bounded. */
const keptMax = 1000;

/** Keeps the workflows that were used since the configuration changed. */
export function createWorkflowDirectory(deps: DirectoryDeps): WorkflowDirectory {
  const kept = new Map<string, Promise<KnownWorkflow | null>>();
  let revision = -1;
  return {
    async find(id) {
      const present = await deps.reads.readRevision();
      if (present !== revision || kept.size >= keptMax) kept.clear();
      revision = present;
      const known = kept.get(id) ?? load(deps, id);
      kept.set(id, known);
      known.catch(() => kept.delete(id));
      return await known;
    },
  };
}

async function load(deps: DirectoryDeps, id: string): Promise<KnownWorkflow | null> {
  const workflow = await findRunnable(deps.db, id);
  if (workflow === null) return null;
  const draftTrialUntil = await findTrialEnd(deps.db, workflow.draftBodyId);
  let secrets: Promise<ReadonlyMap<string, string>> | null = null;
  return {
    ...workflow,
    draftTrialUntil,
    secrets() {
      secrets ??= openSecrets(deps, id);
      secrets.catch(() => {
        secrets = null;
      });
      return secrets;
    },
  };
}

async function openSecrets({ db, ring }: DirectoryDeps, id: string) {
  const stored = await listWorkflowSecrets(db, id);
  const open = (name: string, sealed: Uint8Array) =>
    openAtRest(ring.current(), toWorkflowSecretLocation(id, name), sealed);
  return new Map(stored.map(({ name, sealed }) => [name, open(name, sealed)]));
}
