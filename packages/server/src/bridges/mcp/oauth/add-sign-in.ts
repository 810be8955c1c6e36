import type { ConnectorCall, RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import type { RowAuthorizer } from "./authorize-row.ts";
import type { AuthorizedRow } from "./authorized-row.ts";
import { readConnectTarget, usesOAuth } from "./connect-target.ts";

/**
 * A connector whose rows may sign in by OAuth: with `auth_mode` `oauth`, the configuration of its calls has the access token of
 * the user's account, or of the row, as `token` of `auth_mode` `bearer`. Connectors that do this themselves, and those whose
 * fields do not offer it, stay as they are.
 */
export function addSignIn(
  connector: RegisteredConnector,
  authorizer: Omit<RowAuthorizer, "close">,
): RegisteredConnector {
  if (connector.needsConnection !== undefined || !offersOAuth(connector)) return connector;
  const { invoke, health, lookup, discover, findServers } = connector;
  const authorize = <Call extends ConnectorCall, Answer>(
    run: (call: Call) => Promise<Answer>,
    isChecked = false,
  ) => {
    return (call: Call) => callAuthorized(authorizer, call, { run, isChecked });
  };
  return {
    ...connector,
    needsConnection: usesOAuth,
    invoke: authorize(invoke.bind(connector)),
    ...(health && { health: authorize(health.bind(connector), true) }),
    ...(lookup && { lookup: authorize(lookup.bind(connector)) }),
    ...(discover && { discover: authorize(discover.bind(connector)) }),
    ...(findServers && { findServers: authorize(findServers.bind(connector)) }),
  };
}

function offersOAuth({ configFields }: Pick<RegisteredConnector, "configFields">): boolean {
  const keys = new Set(configFields.map(({ key }) => key));
  const mode = configFields.find(({ key }) => key === "auth_mode");
  const needed = ["authorize_url", "token_url", "client_id", "token"];
  return mode?.options?.includes("oauth") === true && needed.every((key) => keys.has(key));
}

async function callAuthorized<Call extends ConnectorCall, Answer>(
  authorizer: Omit<RowAuthorizer, "close">,
  call: Call,
  { run, isChecked }: { run: (call: Call) => Promise<Answer>; isChecked: boolean },
): Promise<Answer> {
  if (call.config.auth_mode !== "oauth") return await run(call);
  const row = toAuthorizedRow(call);
  const token = await authorizer.findToken(row, call.signal);
  call.mask(token, { ofRow: true });
  let status = 0;
  const authorized: Call = {
    ...call,
    config: { ...call.config, auth_mode: "bearer", token },
    secrets: [...call.secrets, token],
    recordHttpStatus(one) {
      status = one;
      call.recordHttpStatus(one);
    },
  };
  try {
    return await run(authorized);
  } finally {
    // The call is not repeated: some of its requests may have been carried out before.
    // Attack: the caller of a row that all share asks for what no token may have, and ends the row's access for all.
    const isProof = isChecked || row.account !== null;
    if (status === 401) await renewRefused(authorizer, call, { row, token, isProof });
  }
}

/** The next call has another token, or says that the account must be connected again. */
async function renewRefused(
  authorizer: Omit<RowAuthorizer, "close">,
  { signal, log }: ConnectorCall,
  { row, token, isProof }: { row: AuthorizedRow; token: string; isProof: boolean },
): Promise<void> {
  try {
    await authorizer.renewToken(row, token, signal, { isProof });
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    const reason = thrown instanceof HubError ? thrown.code : thrown.name;
    log.warn(`The refused access token was not renewed: ${reason}`);
  }
}

function toAuthorizedRow({ rowId, connectionId, account, config, outbound }: ConnectorCall) {
  const { address, client, policy } = readConnectTarget(config, { policy: outbound, rowId });
  const used = account?.kind === "oauth" ? { id: account.id, userId: account.userId } : null;
  return { rowId, connectionId, account: used, client, address, policy };
}
