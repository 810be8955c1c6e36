import { UpstreamError } from "@hub/connector";
import type { HubError } from "../../../errors.ts";
import { raceAbort } from "../../../plugins/process/race-abort.ts";
import { type AuthorizedRow, type AuthorizerDeps, toGrantId } from "./authorized-row.ts";
import { toGrantStore } from "./grant-store.ts";
import { type LoadedConnection, OpenConnections } from "./open-connections.ts";
import { TokenRefreshes } from "./token-refreshes.ts";

export type RowAuthorizer = {
  /** The access token of the row or of the user's account, refreshed if it ends soon. Throws `needs_setup` or `needs_account` if there is none. */
  findToken(row: AuthorizedRow, signal: AbortSignal): Promise<string>;
  /**
   * The same after the server refused a token. Throws the same if there is no other. Then the tokens are taken as ended, unless the
   * refusal is no proof of it.
   */
  renewToken(
    row: AuthorizedRow,
    refused: string,
    signal: AbortSignal,
    refusal?: { isProof: boolean },
  ): Promise<string>;
  /** The error that leads to where the row, or the user's account, is connected. */
  refuse(row: AuthorizedRow, reason: string): Promise<HubError>;
  /** The page on which an admin connects the row. */
  findPage(rowId: string): Promise<string>;
  /** Waits for the refreshes under way, so that no rotated token is lost. */
  close(): Promise<void>;
};

export function createRowAuthorizer(deps: AuthorizerDeps): RowAuthorizer {
  const { db, now } = deps;
  const connections = new OpenConnections(deps);
  const refreshes = new TokenRefreshes(deps, connections);

  /** Tokens that another call has refreshed meanwhile are used at once. */
  async function renew(
    row: AuthorizedRow,
    loaded: LoadedConnection,
    signal: AbortSignal,
  ): Promise<string> {
    const renewed = await raceAbort(refreshes.refresh(row, loaded), signal);
    return renewed.secrets.access_token;
  }

  return {
    async findToken(row, signal) {
      const loaded = await connections.load(row);
      const { expiresAt, renewAt } = loaded.connection;
      const at = now();
      const isEnded = expiresAt !== null && expiresAt <= at;
      if (!isEnded && (renewAt === null || renewAt > at)) return loaded.secrets.access_token;
      try {
        return await renew(row, loaded, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        // A server that fails now may answer before the token ends.
        if (isEnded || !(thrown instanceof UpstreamError)) throw thrown;
        return loaded.secrets.access_token;
      }
    },
    async renewToken(row, refused, signal, { isProof } = { isProof: true }) {
      const loaded = await connections.load(row);
      const { access_token, refresh_token } = loaded.secrets;
      if (access_token !== refused) return access_token;
      if (refreshes.areFresh(toGrantId(row), loaded.connection)) {
        throw await connections.refuse(row, "The server refuses fresh access tokens.");
      }
      if (refresh_token !== null) return await renew(row, loaded, signal);
      const reason = "The server no longer accepts the access.";
      const { tokensId } = loaded.connection;
      if (isProof) await toGrantStore(row).lose(db, tokensId, { reason, at: now() });
      throw await connections.refuse(row, reason);
    },
    refuse: (row, reason) => connections.refuse(row, reason),
    findPage: (rowId) => connections.findPage(rowId),
    close: () => refreshes.close(),
  };
}
