import { type OutboundPolicy, UpstreamError } from "@hub/connector";
import type { CallAccount } from "../../../connectors/connector-port.ts";
import type { McpConfig } from "../mcp-config-fields.ts";
import type { McpConnectorDeps } from "../mcp-context.ts";
import type { Accounts } from "../oauth/accounts.ts";
import type { AuthorizedRow } from "../oauth/authorized-row.ts";
import { fillIn, fillInAddress, readNamedSecrets } from "../secrets/named-secrets.ts";
import { readHeaders, readVariables } from "../secrets/secret-pairs.ts";
import { createStdioLink, type ProgramStart } from "../stdio/stdio-link.ts";
import { createHttpLink, createSseLink } from "./http-link.ts";
import type { SessionLink } from "./open-mcp-session.ts";

/** What a link is made of: a row's configuration and secrets. */
export type LinkSource = {
  rowId: string;
  connectionId: string | null;
  account?: CallAccount;
  config: McpConfig;
  outbound: OutboundPolicy;
  secrets: readonly string[];
};

type LinkDeps = { deps: McpConnectorDeps; accounts: Accounts };

/** Opens a link to a row's server. `start` is for a program. */
export async function openRowLink(
  { deps, accounts }: LinkDeps,
  source: LinkSource,
  start: ProgramStart,
): Promise<SessionLink> {
  const { rowId, config, outbound: policy } = source;
  if (config.Transport === "stdio") return await openProgramLink(deps, source, start);
  const url = readUrl(config);
  const target = {
    rowId,
    url,
    policy,
    ...(deps.resolve !== undefined && { resolve: deps.resolve }),
    ...(hasAccount(config) && { account: accounts.open(toAuthorizedMcpRow(source)) }),
    toHeaders: async () => toAuthHeaders(config),
    timers: deps.timers,
    takeSteps: (steps: number) => deps.loopShares.take(rowId, steps),
  };
  return await (config.Transport === "sse" ? createSseLink(target) : createHttpLink(target));
}

async function openProgramLink(
  { timers, log, loopShares, programs }: McpConnectorDeps,
  { rowId, config, secrets }: LinkSource,
  start: ProgramStart,
): Promise<SessionLink> {
  if (programs === null) {
    throw new UpstreamError(
      "This hub starts no programs for MCP servers. An admin can set HUB_BRIDGE_STDIO, or use the transport http.",
    );
  }
  const variables = readVariables(config.Env);
  const named = readNamedSecrets(config.Secrets);
  return await createStdioLink(
    { timers, log, loopShares, ...programs },
    {
      rowId,
      command: config.Command,
      args: readArgs(config.Args).map((arg) => fillIn(named, arg)),
      variables,
      folder: config.Folder ?? "",
      secrets: [...secrets, ...variables.map(([, value]) => value), ...(named?.values() ?? [])],
    },
    start,
  );
}

/** With the named secrets in it. */
export function readUrl({ URL: address, Secrets }: McpConfig): URL {
  const text = fillInAddress(readNamedSecrets(Secrets), address);
  if (URL.canParse(text)) return new URL(text);
  throw new UpstreamError("The row's address is not a URL. An admin can correct it.");
}

/** The row as its access tokens are found. */
export function toAuthorizedMcpRow({
  rowId,
  connectionId,
  account,
  config,
  outbound: policy,
}: Omit<LinkSource, "secrets">): AuthorizedRow {
  const id = config.ClientID?.trim() ?? "";
  return {
    rowId,
    connectionId,
    account: account?.kind === "oauth" ? { id: account.id, userId: account.userId } : null,
    client: id === "" ? null : { id, secret: config.ClientSecret || null },
    address: readUrl(config),
    policy,
  };
}

export function hasAccount({ Transport, AuthMode }: McpConfig): boolean {
  return Transport !== "stdio" && AuthMode === "oauth";
}

function toAuthHeaders(config: McpConfig): [string, string][] {
  if (config.AuthMode === "bearer") return [["authorization", `Bearer ${config.Token}`]];
  return config.AuthMode === "headers" ? readHeaders(config.Headers) : [];
}

/** The table has one column. */
function readArgs(rows: unknown): string[] {
  if (!Array.isArray(rows)) return [];
  return rows.map((row: { value?: unknown }) => String(row.value ?? ""));
}
