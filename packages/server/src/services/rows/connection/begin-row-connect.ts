import type { BegunConnect } from "@hub/contract/row-connection.ts";
import { hashArtifactId, sealArtifact } from "../../../oauth/storage/seal-artifact.ts";
import { findRowConnection } from "../../../store/rows/row-connections.ts";
import { putRowConnect } from "../../../store/rows/row-connects.ts";
import { type ConnectDeps, loadConnectable } from "./load-connectable.ts";

/** The purpose of a state, so that it opens no other artifact. */
export const connectModel = "RowConnect";

const connectMsMax = 10 * 60_000;
/** For all requests together. The page waits for them. */
const discoverMsMax = 25_000;

/** Begins a sign-in, which only this browser session can finish. */
export async function beginRowConnect(
  deps: ConnectDeps,
  { sessionId, baseUrl, signal }: { sessionId: string; baseUrl: string; signal: AbortSignal },
  rowId: string,
): Promise<BegunConnect> {
  const { store, now } = deps;
  const { row, target } = await loadConnectable(deps, rowId);
  const { beginConnect } = await import("../../../bridges/mcp/oauth/begin-sign-in.ts");
  const limited = AbortSignal.any([signal, AbortSignal.timeout(discoverMsMax)]);
  const begun = await beginConnect({ signal: limited }, target, baseUrl);
  const { state, attempt } = begun;
  const at = now();
  const connect = {
    stateHash: hashArtifactId(connectModel, state),
    rowId: row.id,
    sessionId,
    sealed: sealArtifact(connectModel, state, attempt),
    expiresAt: at + connectMsMax,
  };
  await putRowConnect(store.db, connect, at);
  const present = await findRowConnection(store.db, row.id);
  const { issuer } = attempt.metadata;
  return {
    authorize_url: begun.url,
    issuer,
    scopes: attempt.scope?.split(" ") ?? [],
    client: begun.clientKind,
    issuer_before: present !== null && present.issuer !== issuer ? present.issuer : null,
  };
}
