import {
  listCredentialNames,
  type SecretSource,
  type SourceInput,
  type SourceSettings,
  sourceInputSchema,
  sourceSettingsSchema,
} from "@hub/contract/secret-source.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { toSourceDefinition } from "../../connectors/managed/read-definitions.ts";
import { checkChangesSources } from "../../connectors/managed/source-rights.ts";
import { HubError } from "../../errors.ts";
import { checkInput, lineSchema, toBadRequest } from "../../lib/input/check-input.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toSourceLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { findPrefixFault } from "../../secrets/sources/check-secret-path.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import {
  listSecretReferences,
  type SecretReferenceRecord,
} from "../../store/secret-sources/secret-references-table.ts";
import {
  deleteSecretSource,
  insertSecretSource,
  listSecretSources,
  type SecretSourceRecord,
  updateSecretSource,
} from "../../store/secret-sources/secret-sources-table.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { presentSource } from "./present-source.ts";

type SourceDeps = Pick<ServiceDeps, "store" | "ring" | "now">;

const sourcesMax = 100;
const inputSchema = sourceInputSchema.extend({ name: lineSchema(100) });

/** All sources, by name. */
export async function listSources({ store }: Pick<SourceDeps, "store">): Promise<SecretSource[]> {
  const sources = await listSecretSources(store.db);
  const references = await listSecretReferences(store.db);
  return await Promise.all(
    sources.map((source) => presentSource(store.db, source, findOwn(references, source.id))),
  );
}

/** Adds a secret manager. Only in a session or on the command line. */
export async function addSource(
  deps: SourceDeps,
  actor: Actor,
  input: SourceInput,
): Promise<SecretSource> {
  checkChangesSources(actor);
  const given = checkSource(actor, input);
  checkCredentials(given.settings, given.credentials ?? {}, { isComplete: true });
  const id = crypto.randomUUID();
  const stamp = stampChange(actor, deps.now());
  const seal = (ring: KeyRing) => sealCredentials(ring, id, given.credentials ?? {});
  return await storeSecrets(deps, seal, async (trx, sealed) => {
    const present = await listSecretSources(trx);
    checkName(present, given.name, null);
    if (present.length >= sourcesMax) {
      throw new HubError("conflict", `A hub has at most ${sourcesMax} secret managers.`);
    }
    const record: SecretSourceRecord = {
      id,
      name: given.name,
      settings: JSON.stringify(given.settings),
      sealed,
      prefixes: JSON.stringify(given.prefixes),
      revision: 1,
      changedBy: actor.userId,
      createdAt: stamp.changedAt,
    };
    await insertSecretSource(trx, record);
    await recordChange(trx, stamp, {
      action: "secret_source.create",
      kind: "secret_source",
      id,
      name: given.name,
      detail: { settings: given.settings, prefixes: given.prefixes },
    });
    return await presentSource(trx, record, []);
  });
}

/**
 * Changes a secret manager. Credentials that are left out stay, unless another address or account would get them. All
 * values that were read from it are dropped.
 */
export async function setSource(
  deps: SourceDeps,
  actor: Actor,
  id: string,
  input: SourceInput,
): Promise<SecretSource> {
  checkChangesSources(actor);
  const given = checkSource(actor, input);
  const stamp = stampChange(actor, deps.now());
  const { credentials } = given;
  const seal = (ring: KeyRing) =>
    credentials === undefined ? null : sealCredentials(ring, id, credentials);
  return await storeSecrets(deps, seal, async (trx, sealed) => {
    const before = await loadSource(trx, id);
    checkRevision(before, given.revision);
    checkName(await listSecretSources(trx), given.name, before.id);
    const { settings } = toSourceDefinition(before);
    const isSame = Bun.deepEquals(settings, given.settings);
    // Attack: another address would be sent the credentials that an admin has entered for the first.
    if (!isSame || credentials !== undefined) {
      checkCredentials(given.settings, credentials ?? {}, { isComplete: true });
    }
    const record: SecretSourceRecord = {
      ...before,
      name: given.name,
      settings: JSON.stringify(given.settings),
      sealed: credentials === undefined && isSame ? before.sealed : sealed,
      prefixes: JSON.stringify(given.prefixes),
      revision: before.revision + 1,
      changedBy: actor.userId,
    };
    await updateSecretSource(trx, record);
    await recordChange(trx, stamp, {
      action: "secret_source.update",
      kind: "secret_source",
      id: before.id,
      name: given.name,
      detail: {
        settings: { from: settings, to: given.settings },
        prefixes: { from: JSON.parse(before.prefixes), to: given.prefixes },
        ...(credentials !== undefined && { credentials: Object.keys(credentials) }),
      },
    });
    return await presentSource(trx, record, findOwn(await listSecretReferences(trx), before.id));
  });
}

/** Removes a secret manager without references. */
export async function deleteSource(
  { store, now }: Pick<SourceDeps, "store" | "now">,
  actor: Actor,
  id: string,
): Promise<{ id: string; name: string }> {
  checkChangesSources(actor);
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const source = await loadSource(trx, id);
    const { length } = findOwn(await listSecretReferences(trx), source.id);
    if (length > 0) {
      throw new HubError(
        "conflict",
        `"${source.name}" has ${length} references. Delete them first.`,
      );
    }
    await deleteSecretSource(trx, source.id);
    await recordChange(trx, stamp, {
      action: "secret_source.delete",
      kind: "secret_source",
      id: source.id,
      name: source.name,
    });
    return { id: source.id, name: source.name };
  });
}

/** By id or name. */
export async function loadSource(db: Db, idOrName: string): Promise<SecretSourceRecord> {
  const sources = await listSecretSources(db);
  const found =
    sources.find(({ id }) => id === idOrName.toLowerCase()) ??
    sources.find(({ name }) => name === idOrName);
  if (found !== undefined) return found;
  throw new HubError("not_found", "There is no such secret manager.");
}

function checkSource(actor: Actor, input: SourceInput) {
  const given = checkInput(inputSchema, input);
  // Again: their defaults are set here, too.
  const settings = checkInput(sourceSettingsSchema, given.settings);
  const faults = given.prefixes.flatMap((prefix, index) => {
    const message = findPrefixFault(prefix);
    return message === null ? [] : [{ path: `prefixes.${index}`, message }];
  });
  if (faults.length > 0) throw toBadRequest(faults);
  const { kind } = settings;
  if (kind === "vault" && settings.auth === "kubernetes" && actor.via === "session") {
    // The token of the pod would be sent to an address that is typed in a browser.
    throw new HubError(
      "forbidden",
      "The sign-in by Kubernetes sends the token of the hub's pod. Add this source with `hub secret-source add` on the hub's machine.",
    );
  }
  return { ...given, settings, prefixes: [...new Set(given.prefixes)] };
}

function checkCredentials(
  settings: SourceSettings,
  credentials: Readonly<Record<string, string>>,
  { isComplete }: { isComplete: boolean },
): void {
  const names = listCredentialNames(settings);
  const optional = settings.kind === "aws" && settings.auth === "keys" ? ["session_token"] : [];
  const faults = Object.keys(credentials)
    .filter((name) => [...names, ...optional].every((known) => known !== name))
    .map((name) => ({
      path: `credentials.${name}`,
      message: `is not needed. This source needs: ${names.join(", ") || "none"}.`,
    }));
  const missing = names.filter((name) => isComplete && !credentials[name]);
  faults.push(...missing.map((name) => ({ path: `credentials.${name}`, message: "is needed." })));
  if (faults.length > 0) throw toBadRequest(faults);
}

function sealCredentials(
  ring: KeyRing,
  id: string,
  credentials: Readonly<Record<string, string>>,
): Uint8Array | null {
  if (Object.keys(credentials).length === 0) return null;
  return sealAtRest(ring, toSourceLocation(id), JSON.stringify(credentials));
}

function checkName(
  present: readonly { id: string; name: string }[],
  name: string,
  own: string | null,
): void {
  if (present.every((other) => other.name !== name || other.id === own)) return;
  throw new HubError("conflict", `There is a secret manager with the name "${name}" already.`);
}

export function checkRevision({ revision }: { revision: number }, given: number | undefined): void {
  if (given === undefined || given === revision) return;
  throw new HubError(
    "conflict",
    "It has changed since you read it. Read it again, then repeat your change.",
  );
}

function findOwn(references: readonly SecretReferenceRecord[], sourceId: string) {
  return references.filter((reference) => reference.sourceId === sourceId);
}
