import type { ConnectionSecrets, OAuthClient } from "../../bridges/mcp/oauth/connection-secrets.ts";
import type { OAuthNetwork } from "../../bridges/mcp/oauth/oauth-fetch.ts";
import { HubError } from "../../errors.ts";
import { toAccountLocation } from "../../secrets/at-rest/secret-locations.ts";
import {
  type AccountEnding,
  claimDueEnding,
  failEnding,
  removeEnding,
  replaceEndingSecret,
} from "../../store/accounts/account-endings.ts";
import type { ConnectDeps } from "../rows/connection/load-connectable.ts";

type EndDeps = ConnectDeps & Pick<OAuthNetwork, "timeoutMs" | "resolve">;

const endingsPerRun = 20;
const firstPauseMs = 30_000;
const pauseMsMax = 6 * 60 * 60_000;
/** Refresh tokens that nothing uses have ended by then. */
const ageMsMax = 90 * 24 * 60 * 60_000;

/**
 * Ends accounts that were removed here where their users signed in, as far as their time has come. What fails is tried again, with
 * growing pauses. A fault of the hub in one of them does not keep the others from their turn; it is thrown after them.
 */
export async function endAccounts(deps: EndDeps, isOver: () => boolean = () => false) {
  const { store, now } = deps;
  const at = now();
  const toDueAt = (attempts: number) => at + Math.min(firstPauseMs * 2 ** attempts, pauseMsMax);
  const failures: unknown[] = [];
  for (let tried = 0; tried < endingsPerRun && !isOver(); tried += 1) {
    // One by one: those that this run does not reach keep their time.
    const ending = await claimDueEnding(store.db, { now: at, toDueAt });
    if (ending === null) break;
    try {
      await endAccount(deps, ending, at);
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "Removed accounts were not ended");
}

async function endAccount(deps: EndDeps, ending: AccountEnding, at: number): Promise<void> {
  const { db } = deps.store;
  const complete = (failure: string | null) =>
    failure === null || at - ending.createdAt > ageMsMax
      ? removeEnding(db, ending.id)
      : failEnding(db, ending.id, failure);
  try {
    await complete(await findEndFailure(deps, ending));
  } catch (thrown) {
    await complete("The hub failed. Its log has the cause.");
    throw thrown;
  }
}

/** Null if the account has ended, or its provider offers no way to end it. */
async function findEndFailure(deps: EndDeps, ending: AccountEnding): Promise<string | null> {
  const { openTokens } = await import("../../bridges/mcp/oauth/connection-secrets.ts");
  const { revokeTokens } = await import("../../bridges/mcp/oauth/revoke-tokens.ts");
  try {
    const stored = await openTokens(deps.ring, toAccountLocation(ending), ending.sealed);
    const secrets = { ...stored, client: await findPresentClient(deps, ending, stored) };
    if (secrets.metadata.revocation_endpoint === undefined) return null;
    const network = toNetwork(deps, secrets);
    const present = await renewForEnd(deps, network, { ending, secrets });
    if (present === null) return null;
    const isDone = await revokeTokens(network, present);
    return isDone === false ? "The provider could not be reached, or refused." : null;
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    return thrown.message;
  }
}

/**
 * An admin may have given the client another secret since the sign-in. It is sent only where the row sends it now, too. A row that
 * is gone has none.
 */
async function findPresentClient(
  deps: EndDeps,
  { rowId }: AccountEnding,
  { client, address, metadata }: ConnectionSecrets,
): Promise<OAuthClient> {
  const { loadConnectable } = await import("../rows/connection/load-connectable.ts");
  const { toAddressText } = await import("../../bridges/mcp/oauth/connect-target.ts");
  const { toFoundServer } = await import("../../bridges/mcp/oauth/named-server.ts");
  try {
    const { target } = await loadConnectable(deps, rowId);
    const now = target.given === null ? null : toFoundServer(target.given, target).metadata;
    const isSame =
      toAddressText(target.address) === address &&
      (now === null
        ? metadata.is_given === undefined
        : now.token_endpoint === metadata.token_endpoint &&
          now.revocation_endpoint === metadata.revocation_endpoint);
    if (!isSame || target.client?.id !== client.client_id) return client;
    const { secret } = target.client;
    return secret === null ? client : { ...client, client_secret: secret };
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    return client;
  }
}

/**
 * Some providers end a grant by an access token alone, which may have ended by itself before. The new tokens are stored before they
 * are used. Null if the grant has ended.
 */
async function renewForEnd(
  deps: EndDeps,
  network: OAuthNetwork,
  { ending, secrets }: { ending: AccountEnding; secrets: ConnectionSecrets },
): Promise<ConnectionSecrets | null> {
  const { refresh_token: refreshToken, metadata } = secrets;
  const { revocation_kind: kind = "standard" } = metadata;
  if (kind === "standard" || refreshToken === null) return secrets;
  const { refreshTokens } = await import("../../bridges/mcp/oauth/refresh-tokens.ts");
  const { sealTokens } = await import("../../bridges/mcp/oauth/connection-secrets.ts");
  const outcome = await refreshTokens(
    network,
    { ...secrets, refresh_token: refreshToken },
    deps.now,
  );
  switch (outcome.kind) {
    case "lost":
      return null;
    case "client":
    case "failed":
      throw new HubError("upstream_error", outcome.reason);
    case "refreshed": {
      const location = toAccountLocation(ending);
      const to = sealTokens(await deps.ring.reload(), location, outcome.secrets);
      await replaceEndingSecret(deps.store.db, { id: ending.id, from: ending.sealed, to });
      return outcome.secrets;
    }
  }
}

/** The row may be gone, so the hosts are those that it had. */
function toNetwork(
  { config, timeoutMs, resolve }: EndDeps,
  { metadata, address }: ConnectionSecrets,
): OAuthNetwork {
  const { token_endpoint, revocation_endpoint, is_given } = metadata;
  // What an authorization server says of itself opens no private network.
  const given = is_given ? [token_endpoint, revocation_endpoint] : [];
  const savedHosts = [address, ...given].flatMap((text) =>
    text !== undefined && URL.canParse(text) ? [new URL(text).host] : [],
  );
  return {
    policy: { savedHosts, allow: [...config.outboundAllow] },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(resolve !== undefined && { resolve }),
  };
}
