import { openAtRest } from "../secrets/at-rest/at-rest.ts";
import { toWorkflowSecretLocation } from "../secrets/at-rest/secret-locations.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Db } from "../store/database/database.ts";
import type { HotReads } from "../store/database/hot-reads.ts";
import { findTrialEnd } from "../store/workflows/workflow-bodies.ts";
import { listWorkflowSecrets } from "../store/workflows/workflow-secrets.ts";
import {
  findRunnable,
  findWorkflow,
  type RunnableWorkflow,
} from "../store/workflows/workflows-table.ts";

/** A workflow as it is now, with what its runs need. */
export type KnownWorkflow = RunnableWorkflow & {
  /** The secrets in plaintext, by name. Read on first use. */
  secrets(): Promise<ReadonlyMap<string, string>>;
};

export type WorkflowDirectory = {
  /** Null if it does not exist. A change by any process is seen by the next call. */
  find(id: string): Promise<KnownWorkflow | null>;
};

export type DraftDirectory = {
  /** The draft as it is now. It changes often, so it is not kept. Null if the workflow does not exist. */
  findDraft(id: string): Promise<KnownDraft | null>;
};

export type KnownDraft = {
  bodyId: string;
  /** Until when it can be tried without a person, if a model saved it. Null for a person's draft. */
  trialUntil: number | null;
};

type DirectoryDeps = {
  db: Db;
  reads: Pick<HotReads, "readRevision">;
  ring: Pick<RingHolder, "current">;
};

/** More workflows than this are read again, so that memory stays bounded. */
const keptMax = 1000;

/** Keeps the workflows that were used since the configuration changed. */
export function createWorkflowDirectory(deps: DirectoryDeps): WorkflowDirectory & DraftDirectory {
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
    async findDraft(id) {
      const workflow = await findWorkflow(deps.db, id);
      if (workflow === null) return null;
      const bodyId = workflow.draftBodyId;
      return { bodyId, trialUntil: await findTrialEnd(deps.db, bodyId) };
    },
  };
}

async function load(deps: DirectoryDeps, id: string): Promise<KnownWorkflow | null> {
  const workflow = await findRunnable(deps.db, id);
  if (workflow === null) return null;
  let secrets: Promise<ReadonlyMap<string, string>> | null = null;
  return {
    ...workflow,
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
