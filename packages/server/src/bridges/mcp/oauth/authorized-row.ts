import type { OutboundPolicy } from "@hub/connector";
import type { Timers } from "../../../lib/time/timers.ts";
import type { Log } from "../../../plugins/process/plugin-log.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";
import type { Db } from "../../../store/database/database.ts";
import type { OAuthNetwork } from "./oauth-fetch.ts";

/** A row's request. */
export type AuthorizedRow = {
  rowId: string;
  /** Of the row as the call found it; null if it was not connected. */
  connectionId: string | null;
  /** The account of a user whose tokens are used. Null for the tokens of the row's own connection. */
  account: AuthorizedAccount | null;
  /** The client that the row names now; null if the hub has registered itself. */
  client: { id: string; secret: string | null } | null;
  /** The row's address. */
  address: URL;
  policy: OutboundPolicy;
};

export type AuthorizedAccount = { id: string; userId: string };

/** Names the grant whose tokens a request uses: an account's, or the row's own. */
export function toGrantId({ rowId, account }: Pick<AuthorizedRow, "rowId" | "account">): string {
  return account?.id ?? rowId;
}

export type AuthorizerDeps = Omit<OAuthNetwork, "policy"> & {
  db: Db;
  ring: RingHolder;
  /** The clock that all servers share. */
  now: () => number;
  timers: Timers;
  log: Log;
  findBaseUrl(): Promise<string>;
};
