import { HubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { ManagedSecrets } from "../../secrets/sources/managed-secrets.ts";
import { noDefinitions, type SecretDefinitions } from "../../secrets/sources/secret-definitions.ts";
import type { SecretReader, SecretReadOutcome } from "../../secrets/sources/secret-reader.ts";
import type { Db } from "../../store/database/database.ts";
import type { HotReads } from "../../store/database/hot-reads.ts";
import { insertSecretRead } from "../../store/secret-sources/secret-reads-table.ts";
import type { OpenClientDeps } from "./open-source-client.ts";
import { readDefinitions } from "./read-definitions.ts";

type ManagedDeps = OpenClientDeps & {
  db: Db;
  reads: Pick<HotReads, "readRevision">;
  keepMs(): number;
  awayMs(): number;
  log: Pick<Log, "warn">;
};

/** Reads secrets from managers. Nothing is loaded before something names one. */
export function createManagedSecrets(deps: ManagedDeps): ManagedSecrets {
  let reader: SecretReader | null = null;
  let opening: Promise<SecretReader> | null = null;
  let definitions: SecretDefinitions = noDefinitions;
  let revision = -1;

  async function load(): Promise<SecretReader> {
    const present = await deps.reads.readRevision();
    if (present !== revision || reader === null) {
      // Of this revision or a later one, which the next look finds again.
      definitions = await readDefinitions(deps.db);
      revision = present;
    }
    // Two readers would keep two values, and each ask the managers.
    opening ??= openReader(deps).catch((thrown) => {
      opening = null;
      throw thrown;
    });
    reader = await opening;
    return reader;
  }

  function requireDefinition(id: string) {
    const found = definitions.get(id);
    if (found !== undefined && reader !== null) return { reader, definition: found };
    throw new HubError(
      "needs_setup",
      "A secret of this row is kept in a secret manager, and the reference to it was deleted. An admin can choose another, or set a value.",
    );
  }

  return {
    async prepare(ids) {
      if (ids.length === 0) return;
      const opened = await load();
      const wanted = ids.flatMap((id) => definitions.get(id) ?? []);
      await Promise.all(wanted.map((definition) => opened.prepare(definition)));
    },
    find: (id) => definitions.get(id) ?? null,
    peek(id) {
      const found = requireDefinition(id);
      return found.reader.peek(found.definition);
    },
    listFormer: (id) => reader?.listFormer(id) ?? [],
    async refresh(id) {
      const opened = await load();
      const definition = definitions.get(id);
      return definition === undefined ? null : await opened.refresh(definition);
    },
  };
}

async function openReader(deps: ManagedDeps): Promise<SecretReader> {
  const { createSecretReader } = await import("../../secrets/sources/secret-reader.ts");
  const { openSourceClient } = await import("./open-source-client.ts");
  return createSecretReader({
    openClient: (source) => openSourceClient(deps, source),
    now: deps.now,
    keepMs: deps.keepMs,
    awayMs: deps.awayMs,
    onRead: (outcome) => recordRead(deps, outcome),
  });
}

/** A read that cannot be recorded is one all the same: the call that needs the secret has its own record. */
async function recordRead(
  { db, log }: ManagedDeps,
  { reference, at, outcome, version, reason }: SecretReadOutcome,
): Promise<void> {
  const read = { readAt: at, outcome, version, reason };
  try {
    await insertSecretRead(db, { id: Bun.randomUUIDv7(), referenceId: reference.id, ...read });
  } catch (err) {
    log.warn({ err, reference: reference.name }, "A read of a secret could not be recorded");
  }
}
