import type { BegunSignIn } from "@hub/contract/account.ts";
import { z } from "zod";
import { toTargetRedirectUri } from "../../../bridges/mcp/oauth/describe-client.ts";
import type { Caller } from "../../../caller.ts";
import { findPublisher } from "../../../connectors/accounts/bound-addresses.ts";
import { checkInput, lineSchema } from "../../../lib/input/check-input.ts";
import { hashArtifactId, sealArtifact } from "../../../oauth/storage/seal-artifact.ts";
import { putAccountConnect } from "../../../store/accounts/account-connects.ts";
import type { ConnectDeps } from "../../rows/connection/load-connectable.ts";
import { checkHosts } from "../check-hosts.ts";
import { loadSignIn } from "./load-sign-in.ts";
import { createRowClientStore } from "./row-client-store.ts";

/** The purpose of a state, so that it opens no other artifact. */
export const signInModel = "AccountConnect";

const signInMsMax = 10 * 60_000;
/** For all requests together. The page waits for them. */
const discoverMsMax = 25_000;

const signInSchema = z.strictObject({
  row: z.uuid(),
  /** Of a new account, or of the one that is connected again. */
  label: lineSchema(60).default("default"),
  /** The hosts that the user was shown. */
  hosts: z.array(z.string().max(4_096)).max(100),
});
export type SignInInput = z.input<typeof signInSchema>;

/** Begins a sign-in of a user in a row, which only this browser session of this user can finish. */
export async function beginAccountSignIn(
  deps: ConnectDeps,
  by: { caller: Caller; sessionId: string; baseUrl: string; signal: AbortSignal },
  input: SignInInput,
): Promise<BegunSignIn> {
  const { row: rowId, label, hosts } = checkInput(signInSchema, input);
  const { store, now } = deps;
  const { caller, sessionId, baseUrl } = by;
  const { row, connector, target } = await loadSignIn(deps, caller, rowId);
  checkHosts(connector, row, hosts);
  const { beginConnect } = await import("../../../bridges/mcp/oauth/begin-sign-in.ts");
  const signal = AbortSignal.any([by.signal, AbortSignal.timeout(discoverMsMax)]);
  const redirectUri = toTargetRedirectUri(baseUrl, target);
  const clients = await createRowClientStore(deps, { rowId: row.id, redirectUri });
  const { state, attempt, url } = await beginConnect({ signal }, target, baseUrl, clients);
  const at = now();
  const begun = { attempt, hosts: [...hosts].sort(), publisher: findPublisher(connector) };
  await putAccountConnect(
    store.db,
    {
      stateHash: hashArtifactId(signInModel, state),
      userId: caller.userId,
      sessionId,
      rowId: row.id,
      label,
      sealed: sealArtifact(signInModel, state, begun),
      expiresAt: at + signInMsMax,
    },
    at,
  );
  return {
    authorize_url: url,
    issuer: attempt.metadata.issuer,
    scopes: attempt.scope?.split(" ") ?? [],
  };
}
