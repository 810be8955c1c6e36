import { createHash } from "node:crypto";
import type { Caller } from "../../caller.ts";
import type { ConnectorCall, DiscoverCall } from "../../connectors/connector-port.ts";
import type { Network } from "../../connectors/local-connector.ts";
import type { LoopShares } from "../../lib/time/loop-shares.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { Log } from "../../plugins/process/plugin-log.ts";
import type { McpConfig } from "./mcp-config-fields.ts";
import type { RowAuthorizer } from "./oauth/authorize-row.ts";
import type { SessionPool } from "./sessions/session-pool.ts";
import type { ProgramDeps } from "./stdio/start-mcp-program.ts";

/** What the connector needs of a call. */
export type McpExtra = Pick<
  ConnectorCall,
  | "rowId"
  | "connectionId"
  | "account"
  | "outbound"
  | "memory"
  | "attach"
  | "recordHttpStatus"
  | "secrets"
  | "elicit"
> &
  Pick<DiscoverCall, "describe"> & {
    caller: Pick<Caller, "userId">;
    /** Ids of the other hubs that the call has passed. */
    hubs: readonly string[];
    /** Reports that the row's program starts. */
    recordStart(message: string): void;
    /** Of the configuration that the call uses, with the user's account. */
    configId: string;
    /** Of the row's own configuration. */
    rowConfigId: string;
  };

export type McpConnectorDeps = Network & {
  timers: Timers;
  log: Log;
  /** Shares the event loop between the servers. */
  loopShares: LoopShares;
  sessions: SessionPool;
  /** Null if the hub starts no programs for rows. */
  programs: Pick<ProgramDeps, ProgramPart> | null;
  /** The random id of this hub. */
  readHubId(): Promise<string>;
  /** A server says that its tools have changed; at most once a minute for each row. */
  onChanged?(rowId: string): void;
  /** The access tokens of rows that an admin has connected. */
  authorizer: Omit<RowAuthorizer, "close">;
};

type ProgramPart = "env" | "guard" | "fence" | "toHomeDir" | "npmCacheDir" | "startMs";

/** The context of the connector's functions, from the call. */
export function toMcpExtra(call: ConnectorCall): McpExtra {
  const { rowId, connectionId, account, outbound, caller, hubs = [] } = call;
  const { memory, attach, recordHttpStatus, secrets, elicit } = call;
  const recordStart = (message: string) => call.progress(0, undefined, message);
  const configId = toConfigId(call);
  const ofRow = { rowId, connectionId, configId, rowConfigId: toRowConfigId(call), outbound };
  return {
    ...ofRow,
    ...(account && { account }),
    memory,
    attach,
    recordHttpStatus,
    secrets,
    elicit,
    caller,
    hubs,
    recordStart,
  };
}

/** Identifies a row's configuration and connection: a session serves one. */
export function toConfigId({
  config,
  outbound,
  connectionId,
  account,
}: Pick<ConnectorCall, "config" | "outbound" | "connectionId" | "account">): string {
  const { id, tokensId } = account ?? {};
  return createHash("sha256")
    .update(JSON.stringify([config, outbound, connectionId, id, tokensId]))
    .digest("base64");
}

/** The same of the row without the account of a user: when it changes, the sessions of all its users end. */
function toRowConfigId(call: ConnectorCall): string {
  const { account, outbound } = call;
  if (account === undefined) return toConfigId(call);
  return toConfigId({
    config: account.rowConfig,
    outbound,
    connectionId: account.rowConnectionId,
  });
}

/** Of one use of a row. */
export type McpContext = McpExtra & {
  config: McpConfig;
  signal: AbortSignal;
  mask(value: string, options?: { ofRow?: boolean }): void;
};
