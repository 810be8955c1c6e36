import { toAddressText } from "../../../bridges/mcp/oauth/connect-target.ts";
import { isRedirectPath } from "../../../bridges/mcp/oauth/describe-client.ts";
import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { HubError } from "../../../errors.ts";
import { hashArtifactId, openArtifact } from "../../../oauth/storage/seal-artifact.ts";
import { putRowConnection } from "../../../store/rows/row-connections.ts";
import { takeRowConnect } from "../../../store/rows/row-connects.ts";
import { storeSecrets } from "../../../store/settings/store-secrets.ts";
import { loadRow } from "../load-row.ts";
import { connectModel } from "./begin-row-connect.ts";
import { type ConnectDeps, loadConnectable } from "./load-connectable.ts";

/**
 * Takes the answer of an authorization server, which the browser brings, and stores the tokens. Throws
 * `forbidden` unless this session began the sign-in, and has not finished it yet.
 */
export async function finishRowConnect(
  deps: ConnectDeps,
  actor: Actor,
  sessionId: string,
  { path, answer }: { path: string; answer: URLSearchParams },
): Promise<{ rowId: string; connectorKey: string }> {
  const { store, ring, now } = deps;
  const { finishConnect } = await import("../../../bridges/mcp/oauth/finish-sign-in.ts");
  const { readAttempt, sealConnection } = await import(
    "../../../bridges/mcp/oauth/connection-secrets.ts"
  );
  const { rowId, opened } = await takeAttempt(deps, sessionId, answer.get("state") ?? "");
  const attempt = readAttempt(opened);
  // Attack: a code that was given for one row is brought to the address of another one.
  if (!isRedirectPath(attempt, path)) throw toForbidden();
  const { target } = await loadConnectable(deps, rowId);
  checkAddress(attempt.address, target.address);
  const { policy } = target;
  const { tokens, secrets } = await finishConnect({ policy }, attempt, answer, now);
  const at = now();
  const stamp = stampChange(actor, at);
  const { issuer } = attempt.metadata;
  const connection = {
    rowId,
    id: crypto.randomUUID(),
    tokensId: crypto.randomUUID(),
    issuer,
    address: attempt.address,
    scope: tokens.scope ?? attempt.scope ?? "",
    connectedAt: at,
    expiresAt: tokens.expiresAt,
    renewAt: tokens.renewAt,
    canRenew: tokens.refreshToken !== null,
  };
  const seal = (keys: Parameters<typeof sealConnection>[0]) => sealConnection(keys, rowId, secrets);
  return await storeSecrets({ store, ring }, seal, async (trx, sealed) => {
    const { label, connectorKey } = await loadRow(trx, rowId);
    await putRowConnection(trx, { ...connection, sealed });
    const detail = { issuer, scopes: connection.scope };
    const change = { action: "row.connect", kind: "row", id: rowId, name: label } as const;
    await recordChange(trx, stamp, { ...change, detail });
    return { rowId, connectorKey };
  });
}

/** Attack: an attacker's answer in the admin's browser would connect the row to the attacker's account. */
async function takeAttempt(
  { store, now }: ConnectDeps,
  sessionId: string,
  state: string,
): Promise<{ rowId: string; opened: unknown }> {
  const taken = await takeRowConnect(store.db, hashArtifactId(connectModel, state));
  if (taken === null || taken.sessionId !== sessionId || taken.expiresAt <= now()) {
    throw toForbidden();
  }
  return { rowId: taken.rowId, opened: openArtifact(connectModel, state, taken.sealed) };
}

function toForbidden(): HubError {
  return new HubError(
    "forbidden",
    "This sign-in was not begun in this browser, is already finished, or took longer than ten minutes. Open the row and press Connect again.",
  );
}

function checkAddress(begun: string, present: URL): void {
  if (toAddressText(present) === begun) return;
  throw new HubError(
    "conflict",
    "The row's address has changed during the sign-in. Open the row and press Connect again.",
  );
}
