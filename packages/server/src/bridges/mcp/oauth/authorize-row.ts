import { UpstreamError } from "@hub/connector";
import { raceAbort } from "../../../plugins/process/race-abort.ts";
import { loseRowConnection } from "../../../store/rows/row-connections.ts";
import type { AuthorizedRow, AuthorizerDeps } from "./authorized-row.ts";
import { type LoadedConnection, OpenConnections } from "./open-connections.ts";
import { TokenRefreshes } from "./token-refreshes.ts";

export type RowAuthorizer = {
  /** The row's access token, refreshed if it ends soon. Throws `needs_setup` if there is none. */
  findToken(row: AuthorizedRow, signal: AbortSignal): Promise<string>;
  /** The same after the server refused a token. Throws `needs_setup` if there is no other. */
  renewToken(row: AuthorizedRow, refused: string, signal: AbortSignal): Promise<string>;
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
    async renewToken(row, refused, signal) {
      const loaded = await connections.load(row);
      const { access_token, refresh_token } = loaded.secrets;
      if (access_token !== refused) return access_token;
      const { rowId } = row;
      if (refreshes.areFresh(loaded.connection)) {
        throw await connections.refuse(
          rowId,
          "The MCP server refuses fresh access tokens of the row.",
        );
      }
      if (refresh_token !== null) return await renew(row, loaded, signal);
      const reason = "The MCP server no longer accepts the row's access.";
      await loseRowConnection(db, loaded.connection, { reason, at: now() });
      throw await connections.refuse(row.rowId, reason);
    },
    findPage: (rowId) => connections.findPage(rowId),
    close: () => refreshes.close(),
  };
}
