import { mayUseReference } from "../connectors/managed/may-use-reference.ts";
import { HubError, toHubError } from "../errors.ts";
import { LOCAL_ADMIN_ID } from "../identity/local-admin.ts";
import { isManaged, openStored } from "../secrets/at-rest/at-rest.ts";
import { toWorkflowSecretLocation } from "../secrets/at-rest/secret-locations.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { ManagedSecrets } from "../secrets/sources/managed-secrets.ts";
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
  /**
   * The secrets that are kept in secret managers, by name. They are read again when they are not current. Null if it has
   * none.
   */
  managed?: () => Promise<ReadonlyMap<string, ManagedSecret>>;
};

/** A secret of a workflow that is kept in a secret manager. */
export type ManagedSecret = {
  /** Of the reference. */
  id: string;
  /** Null if it cannot be used now: see `failure`. */
  text: string | null;
  failure: HubError | null;
  /** Former values, which results may still hold. */
  former: readonly string[];
  /** The row in whose calls it opens. Null for none: then it only checks what is received. */
  rowId: string | null;
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
  reads: Pick<HotReads, "readRevision" | "findUserAccess">;
  ring: Pick<RingHolder, "current">;
  /** Absent where no workflow has secrets of managers, such as in tests. */
  managed?: ManagedSecrets | undefined;
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
  let stored: ReturnType<typeof readSecrets> | null = null;
  const read = () => {
    stored ??= readSecrets(deps, id);
    stored.catch(() => {
      stored = null;
    });
    return stored;
  };
  return {
    ...workflow,
    secrets: async () => (await read()).texts,
    managed: async () => await openManaged(deps, workflow, (await read()).references),
  };
}

/** The secrets that are stored here, and the ids of the references of the others. */
async function readSecrets({ db, ring }: DirectoryDeps, id: string) {
  const texts = new Map<string, string>();
  const references = new Map<string, string>();
  for (const { name, sealed } of await listWorkflowSecrets(db, id)) {
    const { kind, text } = openStored(ring.current(), toWorkflowSecretLocation(id, name), sealed);
    // `sealReference` is for fields of rows only.
    if (kind === "reference") throw new Error("A workflow's secret is a reference of a hub file");
    if (isManaged(sealed)) references.set(name, text);
    else texts.set(name, text);
  }
  return { texts, references };
}

const noneManaged: ReadonlyMap<string, ManagedSecret> = new Map();

async function openManaged(
  { managed, reads }: DirectoryDeps,
  { ownerId }: Pick<RunnableWorkflow, "ownerId">,
  references: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, ManagedSecret>> {
  if (references.size === 0 || managed === undefined) return noneManaged;
  await managed.prepare([...references.values()]);
  // At each use: the owner may have lost the tag, or the workflow may have another owner.
  const access = await reads.findUserAccess(ownerId);
  const owner = access ?? { role: ownerId === LOCAL_ADMIN_ID ? "admin" : "user", tags: [] };
  const open = (id: string): ManagedSecret => {
    const reference = managed.find(id);
    const base = { id, former: managed.listFormer(id), rowId: reference?.rows[0]?.id ?? null };
    try {
      if (reference !== null && !mayUseReference(owner, reference)) {
        throw new HubError(
          "needs_setup",
          `The owner of the workflow may not use the secret "${reference.name}". An admin can allow it at Admin → Secret managers.`,
        );
      }
      return { text: managed.peek(id), failure: null, ...base };
    } catch (thrown) {
      return { text: null, failure: toHubError(thrown), ...base };
    }
  };
  return new Map([...references].map(([name, id]) => [name, open(id)]));
}
