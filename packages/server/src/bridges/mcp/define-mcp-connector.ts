import { createHash } from "node:crypto";
import {
  type ConnectorDefinition,
  defineRowConnector,
  type OutboundPolicy,
  UpstreamError,
} from "@hub/connector";
import type { Caller } from "../../caller.ts";
import type {
  AnswerBudget,
  ConnectorCall,
  ProgramHealth,
} from "../../connectors/connector-port.ts";
import type { Network } from "../../connectors/local-connector.ts";
import { ProgramFailure } from "../../connectors/program-failure.ts";
import { loopBytesMax } from "../../lib/answer-limits.ts";
import { hubPathKey } from "../../lib/hub-path.ts";
import type { LoopShares } from "../../lib/loop-shares.ts";
import type { Timers } from "../../lib/timers.ts";
import { toNoMemory } from "../../lib/to-no-memory.ts";
import { createTokenBuckets } from "../../lib/token-buckets.ts";
import type { Log } from "../../plugins/process/plugin-log.ts";
import { callTool } from "./call-tool.ts";
import { configFields, type McpConfig } from "./config-fields.ts";
import { discoverTools } from "./discover-tools.ts";
import { createHttpLink, createSseLink } from "./http-link.ts";
import { fillIn, fillInAddress, readNamedSecrets } from "./named-secrets.ts";
import { createAccounts } from "./oauth/accounts.ts";
import type { RowAuthorizer } from "./oauth/authorize-row.ts";
import {
  type McpSession,
  openSession,
  type SessionDeps,
  type SessionLink,
} from "./open-session.ts";
import { readToolResult } from "./read-tool-result.ts";
import { readHeaders, readVariables } from "./secret-pairs.ts";
import type { SessionPool } from "./session-pool.ts";
import type { SessionTarget } from "./session-slot.ts";
import type { ProgramDeps } from "./stdio/start-program.ts";
import { createStdioLink } from "./stdio/stdio-link.ts";
import { toResult } from "./to-result.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

/** What the connector needs of a call. */
export type McpExtra = Pick<
  ConnectorCall,
  "rowId" | "connectionId" | "outbound" | "memory" | "attach" | "noteHttpStatus" | "secrets"
> & {
  caller: Pick<Caller, "userId">;
  /** Ids of the other hubs that the call has passed. */
  hubs: readonly string[];
  /** Reports that the row's program starts. */
  noteStart(message: string): void;
  /** Of the configuration that the call uses. */
  configId: string;
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
  const { rowId, connectionId, outbound, caller, hubs = [] } = call;
  const { memory, attach, noteHttpStatus, secrets } = call;
  const noteStart = (message: string) => call.progress(0, undefined, message);
  const ofRow = { rowId, connectionId, configId: toConfigId(call), outbound };
  return { ...ofRow, memory, attach, noteHttpStatus, secrets, caller, hubs, noteStart };
}

/** Identifies a row's configuration and connection: a session serves one. */
export function toConfigId({
  config,
  outbound,
  connectionId,
}: Pick<ConnectorCall, "config" | "outbound" | "connectionId">): string {
  return createHash("sha256")
    .update(JSON.stringify([config, outbound, connectionId]))
    .digest("base64");
}

type Ctx = McpExtra & {
  config: McpConfig;
  signal: AbortSignal;
  mask(value: string, options?: { ofRow?: boolean }): void;
};

/** Another MCP server as a row: its tools are the row's operations. */
export function defineMcpConnector(deps: McpConnectorDeps): ConnectorDefinition<McpExtra> {
  const { sessions } = deps;
  const changes = createTokenBuckets({ now: deps.timers.now });
  const accounts = createAccounts(deps.authorizer);

  async function useSession<T>(
    ctx: Ctx,
    work: (session: McpSession) => Promise<T>,
    ignoresBackOff = false,
  ): Promise<T> {
    maskParts(ctx);
    const options = { signal: ctx.signal, ignoresBackOff, onOpening: () => noteStart(ctx) };
    const use = () => sessions.use(toTarget(ctx), options, work);
    const { config, rowId, connectionId, outbound: policy } = ctx;
    if (!hasAccount(config)) return await use();
    const row = { rowId, connectionId, address: readUrl(config), policy };
    return await accounts.maskDuring(row, ctx, use);
  }

  /** A first start can take long, such as that of a package that npx downloads. */
  function noteStart({ config, noteStart: note }: Ctx): void {
    if (config.Transport !== "stdio" || deps.programs === null) return;
    note(
      `The program of this row is starting. Its first start may take up to ${deps.programs.startMs / 1000} s.`,
    );
  }

  function toTarget(ctx: Ctx): SessionTarget {
    const { rowId, config, configId, outbound, caller } = ctx;
    const { userId } = caller;
    return {
      rowId,
      userId: config.SharedSession === true ? null : userId,
      configId,
      isProcess: config.Transport === "stdio",
      async open(signal) {
        const { secrets, connectionId } = ctx;
        const source = { rowId, connectionId, config, outbound, secrets };
        const link = await createLink(source, "auto");
        try {
          return await openSession(toSessionDeps(rowId), link, signal);
        } catch (thrown) {
          // Some servers of the older protocol end at the first request of the newer one.
          if (link.mayBeOlder?.() !== true) throw thrown;
          signal.throwIfAborted();
          return await openSession(
            toSessionDeps(rowId),
            await createLink(source, "legacy"),
            signal,
          );
        }
      },
    };
  }

  function toSessionDeps(rowId: string): SessionDeps {
    return {
      log: deps.log,
      rowId,
      onToolsChanged() {
        if (changes.take(rowId, 1) === 0) deps.onChanged?.(rowId);
      },
    };
  }

  async function createLink(source: LinkSource, mode: SessionLink["mode"]): Promise<SessionLink> {
    const { rowId, connectionId, config, outbound: policy } = source;
    if (config.Transport === "stdio") return await createProgramLink(source, mode);
    const url = readUrl(config);
    const row = { rowId, connectionId, address: url, policy };
    const target = {
      rowId,
      url,
      policy,
      ...(deps.resolve !== undefined && { resolve: deps.resolve }),
      ...(hasAccount(config) && { account: accounts.open(row) }),
      toHeaders: async () => toAuthHeaders(config),
      timers: deps.timers,
      takeSteps: (steps: number) => deps.loopShares.take(rowId, steps),
    };
    return await (config.Transport === "sse" ? createSseLink(target) : createHttpLink(target));
  }

  async function createProgramLink(
    { rowId, config, secrets }: LinkSource,
    mode: SessionLink["mode"],
  ): Promise<SessionLink> {
    const { timers, log, loopShares, programs } = deps;
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
      mode,
    );
  }

  return defineRowConnector<McpExtra>()({
    key: "mcp",
    name: "MCP server",
    icon: "plug",
    tier: "builtin",
    description:
      "Another MCP server: its tools become operations, which an admin approves before they are used.",
    config: configFields,
    operations: "by row",
    discover: (ctx) => useSession(ctx, (session) => discoverTools(session, ctx), true),
    async run(ctx) {
      const { operation, params, progress } = ctx;
      const { sourceName: name, inputSchema } = operation;
      // A server that is a hub refuses a call that has come back to it.
      const _meta = { [hubPathKey]: [...ctx.hubs, await deps.readHubId()] };
      return await useSession(ctx, async (session) => {
        const result = await session.request(ctx, (options) =>
          callTool(
            session.client,
            { name, inputSchema },
            { name, arguments: params, _meta },
            {
              ...options,
              onprogress: ({ progress: done, total, message }) => progress(done, total, message),
            },
          ),
        );
        if (!session.takesMemory) takeArrived(result, ctx.memory);
        return toResult(readToolResult(result), ctx.attach);
      });
    },
    health: (ctx) => checkHealth(() => useSession(ctx, (session) => ping(session, ctx), true)),
  });
}

type LinkSource = {
  rowId: string;
  connectionId: string | null;
  config: McpConfig;
  outbound: OutboundPolicy;
  secrets: readonly string[];
};

/** The newer protocol has no ping. */
async function ping(session: McpSession, ctx: Ctx): Promise<void> {
  await session.request(ctx, (options) =>
    session.client.getProtocolEra() === "modern"
      ? session.client.request({ method: "tools/list", params: {} }, options)
      : session.client.request({ method: "ping" }, options),
  );
}

async function checkHealth(connect: () => Promise<void>): Promise<ProgramHealth> {
  try {
    await connect();
    return { ok: true };
  } catch (thrown) {
    const failure = toUpstreamError(thrown);
    const output = failure instanceof ProgramFailure ? failure.programOutput : "";
    const reason = failure.message;
    return { ok: false, reason, ...(output !== "" && { program_output: output }) };
  }
}

/** All calls of a program, or of HTTP+SSE, share a stream, so one of them cannot wait. */
function takeArrived(result: object, memory: AnswerBudget): void {
  const { length } = JSON.stringify(result);
  if (length > loopBytesMax && !memory.takeArrived(length)) throw toNoMemory();
}

function readUrl({ URL: address, Secrets }: McpConfig): URL {
  const text = fillInAddress(readNamedSecrets(Secrets), address);
  if (URL.canParse(text)) return new URL(text);
  throw new UpstreamError("The row's address is not a URL. An admin can correct it.");
}

function hasAccount({ Transport, AuthMode }: McpConfig): boolean {
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

/** A header's or variable's value is a part of a secret field, so it is masked for itself. */
function maskParts({ config, mask }: Ctx): void {
  const isProgram = config.Transport === "stdio";
  const headers = !isProgram && config.AuthMode === "headers" ? readHeaders(config.Headers) : [];
  const pairs = isProgram ? readVariables(config.Env) : headers;
  const named = readNamedSecrets(config.Secrets) ?? [];
  for (const [, value] of [...pairs, ...named]) if (value !== "") mask(value, { ofRow: true });
}
