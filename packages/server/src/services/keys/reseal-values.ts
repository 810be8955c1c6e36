import { HubError, toHubError } from "../../errors.ts";
import {
  findKeyId,
  readStartKeyId,
  resealAtRest,
  type SecretLocation,
} from "../../secrets/at-rest/at-rest.ts";
import {
  toAccountLocation,
  toConnectionLocation,
  toFactorLocation,
  toProviderLocation,
  toSourceLocation,
  toWorkflowSecretLocation,
} from "../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import {
  listSealedAccounts,
  type ResealedAccount,
  replaceSealedAccounts,
} from "../../store/accounts/sealed-accounts.ts";
import type { Db, Transaction } from "../../store/database/database.ts";
import { countSealedStarts } from "../../store/pending/sealed-pending-calls.ts";
import {
  listSealedConnections,
  type ResealedConnection,
  replaceSealedConnections,
} from "../../store/rows/row-connections.ts";
import { listRows, type ResealedValue, replaceSealedValues } from "../../store/rows/rows-table.ts";
import {
  listSecretSources,
  type ResealedSource,
  replaceSealedSources,
} from "../../store/secret-sources/secret-sources-table.ts";
import {
  listSealedProviderTokens,
  type ResealedProviderToken,
  replaceSealedProviderTokens,
} from "../../store/users/provider-sessions-table.ts";
import {
  listSealedFactors,
  type ResealedFactor,
  replaceSealedFactors,
} from "../../store/users/second-factors-table.ts";
import {
  listAllWorkflowSecrets,
  type ResealedSecret,
  replaceWorkflowSecrets,
} from "../../store/workflows/workflow-secrets.ts";

/** A stored secret of a row, of its connection, of a user, of a workflow or of a secret manager. */
type StoredSecret = {
  kind:
    | "Row"
    | "Connection of the row"
    | "Account in the row"
    | "Second factor of"
    | "Single sign-on of"
    | "Workflow"
    | "Secret manager";
  /** The label or name that users see. */
  label: string;
  location: SecretLocation;
  sealed: Uint8Array;
  /** Of an account of a user. */
  accountId?: string;
  /** Of a second factor. */
  factorId?: string;
  /** Whose token of the single sign-on provider it is. */
  signedOnId?: string;
};

/** The number of stored secrets that are sealed with each key, by key id. */
export async function countSealedValues(db: Db): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const { sealed } of await listStoredSecrets(db)) {
    const id = findKeyId(sealed);
    if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { start, count } of await countSealedStarts(db)) {
    const id = readStartKeyId(start);
    counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

export type LostSecret = { kind: StoredSecret["kind"]; label: string; key: string };

/** The stored secrets that none of these keys opens, by row and field, or by workflow and name. */
export async function listLostSecrets(db: Db, keys: KeyRing["keys"]): Promise<LostSecret[]> {
  return (await listStoredSecrets(db)).flatMap(({ kind, label, location, sealed }) => {
    const id = findKeyId(sealed);
    return id === null || keys.has(id) ? [] : [{ kind, label, key: location.field }];
  });
}

/** Stored secrets, sealed again. */
export type ResealedValues = {
  ofRows: ResealedValue[];
  ofConnections: ResealedConnection[];
  ofAccounts: ResealedAccount[];
  ofFactors: ResealedFactor[];
  ofProviders: ResealedProviderToken[];
  ofWorkflows: ResealedSecret[];
  ofSources: ResealedSource[];
};

/**
 * Seals all secrets of other keys with the sealing key, but stores nothing. Throws if a secret cannot
 * be opened.
 */
export async function resealValues(db: Db, ring: KeyRing): Promise<ResealedValues> {
  const resealed: ResealedValues = {
    ofRows: [],
    ofConnections: [],
    ofAccounts: [],
    ofFactors: [],
    ofProviders: [],
    ofWorkflows: [],
    ofSources: [],
  };
  for (const secret of await listStoredSecrets(db)) {
    const { kind, location, sealed: from } = secret;
    if (findKeyId(from) === ring.sealing.id) continue;
    const to = resealNamed(ring, secret);
    const { row: id, field } = location;
    if (kind === "Secret manager") resealed.ofSources.push({ id, from, to });
    else if (kind === "Row") resealed.ofRows.push({ rowId: id, key: field, from, to });
    else if (secret.accountId !== undefined) {
      resealed.ofAccounts.push({ id: secret.accountId, from, to });
    } else if (secret.factorId !== undefined) {
      resealed.ofFactors.push({ id: secret.factorId, from, to });
    } else if (secret.signedOnId !== undefined) {
      resealed.ofProviders.push({ userId: secret.signedOnId, from, to });
    } else if (kind !== "Workflow") resealed.ofConnections.push({ rowId: id, from, to });
    else resealed.ofWorkflows.push({ workflowId: id, name: field, from, to });
  }
  return resealed;
}

/** Replaces stored secrets, but not those that changed since they were read; returns their number. */
export async function replaceSealed(
  trx: Transaction,
  {
    ofRows,
    ofConnections,
    ofAccounts,
    ofFactors,
    ofProviders,
    ofWorkflows,
    ofSources,
  }: ResealedValues,
  at: number,
): Promise<number> {
  const ofRowsReplaced = await replaceSealedValues(trx, ofRows, at);
  const ofConnectionsReplaced = await replaceSealedConnections(trx, ofConnections);
  const ofAccountsReplaced = await replaceSealedAccounts(trx, ofAccounts);
  const ofFactorsReplaced = await replaceSealedFactors(trx, ofFactors);
  const ofSourcesReplaced = await replaceSealedSources(trx, ofSources);
  const ofUsersReplaced =
    ofAccountsReplaced + ofFactorsReplaced + (await replaceSealedProviderTokens(trx, ofProviders));
  const ofOthers = ofConnectionsReplaced + ofUsersReplaced + ofSourcesReplaced;
  return ofRowsReplaced + ofOthers + (await replaceWorkflowSecrets(trx, ofWorkflows));
}

async function listStoredSecrets(db: Db): Promise<StoredSecret[]> {
  const ofRows = (await listRows(db)).flatMap(({ id, label, values }) =>
    values.flatMap(({ key, sealed }): StoredSecret[] => {
      if (sealed === null) return [];
      return [
        { kind: "Row", label, location: { table: "row_values", row: id, field: key }, sealed },
      ];
    }),
  );
  const ofConnections = (await listSealedConnections(db)).map(
    ({ rowId, label, sealed }): StoredSecret => ({
      kind: "Connection of the row",
      label,
      location: toConnectionLocation(rowId),
      sealed,
    }),
  );
  const ofAccounts = (await listSealedAccounts(db)).map(
    ({ id, userId, rowId, label, sealed }): StoredSecret => ({
      kind: "Account in the row",
      label,
      location: toAccountLocation({ id, userId, rowId }),
      sealed,
      accountId: id,
    }),
  );
  const ofFactors = (await listSealedFactors(db)).map(
    ({ id, userId, label, sealed }): StoredSecret => ({
      kind: "Second factor of",
      label,
      location: toFactorLocation({ id, userId }),
      sealed,
      factorId: id,
    }),
  );
  const ofProviders = (await listSealedProviderTokens(db)).map(
    ({ userId, issuer, subject, label, sealed }): StoredSecret => ({
      kind: "Single sign-on of",
      label,
      location: toProviderLocation({ issuer, subject }),
      sealed,
      signedOnId: userId,
    }),
  );
  const ofWorkflows = (await listAllWorkflowSecrets(db)).map(
    ({ workflowId, label, name, sealed }): StoredSecret => ({
      kind: "Workflow",
      label,
      location: toWorkflowSecretLocation(workflowId, name),
      sealed,
    }),
  );
  const ofSources = (await listSecretSources(db)).flatMap(({ id, name, sealed }): StoredSecret[] =>
    sealed === null
      ? []
      : [{ kind: "Secret manager", label: name, location: toSourceLocation(id), sealed }],
  );
  const ofUsers = [...ofAccounts, ...ofFactors, ...ofProviders];
  return [...ofRows, ...ofConnections, ...ofUsers, ...ofWorkflows, ...ofSources];
}

/** Names the row or workflow whose secret is lost, so that the secret can be set again. */
function resealNamed(ring: KeyRing, { kind, label, location, sealed }: StoredSecret): Uint8Array {
  try {
    return resealAtRest(ring, location, sealed);
  } catch (thrown) {
    const { code, message } = toHubError(thrown);
    throw new HubError(code, `${kind} "${label}" (${location.row}): ${message}`, { cause: thrown });
  }
}
