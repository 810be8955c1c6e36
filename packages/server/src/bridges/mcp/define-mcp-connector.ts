import { createHash } from "node:crypto";
import {
  type ConnectorDefinition,
  defineRowConnector,
  type Health,
  type OutboundPolicy,
  UpstreamError,
} from "@hub/connector";
import type { Caller } from "../../caller.ts";
import type { AnswerBudget, ConnectorCall } from "../../connectors/connector-port.ts";
import type { Network } from "../../connectors/local-connector.ts";
import { loopBytesMax } from "../../lib/answer-limits.ts";
import { hubPathKey } from "../../lib/hub-path.ts";
import type { Timers } from "../../lib/timers.ts";
import { toNoMemory } from "../../lib/to-no-memory.ts";
import { createTokenBuckets } from "../../lib/token-buckets.ts";
import type { Log } from "../../plugins/process/plugin-log.ts";
import { configFields, type McpConfig } from "./config-fields.ts";
import { discoverTools } from "./discover-tools.ts";
import { createHttpLink, createSseLink } from "./http-link.ts";
import { limitProgress } from "./limit-progress.ts";
import { fillIn, fillInAddress, readNamedSecrets } from "./named-secrets.ts";
import {
  type McpSession,
  openSession,
  type SessionDeps,
  type SessionLink,
} from "./open-session.ts";
import { readHeaders, readVariables } from "./secret-pairs.ts";
import type { SessionPool, SessionTarget } from "./session-pool.ts";
import type { ProgramDeps } from "./stdio/start-program.ts";
import { createStdioLink } from "./stdio/stdio-link.ts";
import { toResult } from "./to-result.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

/** What the connector needs of a call. */
export type McpExtra = Pick<
  ConnectorCall,
  "rowId" | "outbound" | "memory" | "attach" | "noteHttpStatus" | "secrets"
> & {
  caller: Pick<Caller, "userId">;
  /** Ids of the other hubs that the call has passed. */
  hubs: readonly string[];
  /** Of the configuration that the call uses. */
  configId: string;
};

export type McpConnectorDeps = Network & {
  timers: Timers;
  log: Log;
  sessions: SessionPool;
  /** Null if the hub starts no programs for rows. */
  programs: Pick<ProgramDeps, "env" | "guard" | "toHomeDir"> | null;
  /** The random id of this hub. */
  readHubId(): Promise<string>;
  /** A server says that its tools have changed; at most once a minute for each row. */
  onChanged?(rowId: string): void;
  /**
   * The value of the header `Authorization` for a request, such as `Bearer …` of an account. Null if
   * the row's own authentication is used.
   */
  authorize?(target: { rowId: string; userId: string }): Promise<string | null>;
};

/** The context of the connector's functions, from the call. */
export function toMcpExtra(call: ConnectorCall): McpExtra {
  const { rowId, outbound, memory, attach, noteHttpStatus, secrets, caller, hubs = [] } = call;
  const configId = toConfigId(call);
  return { rowId, outbound, memory, attach, noteHttpStatus, secrets, caller, hubs, configId };
}

/** Identifies a row's configuration: a session serves one. */
export function toConfigId({
  config,
  outbound,
}: Pick<ConnectorCall, "config" | "outbound">): string {
  return createHash("sha256")
    .update(JSON.stringify([config, outbound]))
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

  function useSession<T>(
    ctx: Ctx,
    work: (session: McpSession) => Promise<T>,
    ignoresBackOff = false,
  ): Promise<T> {
    maskParts(ctx);
    return sessions.use(toTarget(ctx), { signal: ctx.signal, ignoresBackOff }, work);
  }

  function toTarget(ctx: Ctx): SessionTarget {
    const { rowId, config, configId, outbound, caller } = ctx;
    const { userId } = caller;
    return {
      rowId,
      // Accounts of users must not meet in a shared session.
      userId: config.SharedSession === true && deps.authorize === undefined ? null : userId,
      configId,
      isProcess: config.Transport === "stdio",
      async open(signal) {
        const source = { rowId, userId, config, outbound, secrets: ctx.secrets };
        const link = await createLink(source, "auto");
        try {
          return await openSession(toSessionDeps(rowId), link, signal);
        } catch (thrown) {
          // Some servers of the older protocol end at the first request of the newer one.
          if (config.Transport !== "stdio" || link.findFailure() === null) throw thrown;
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
    const { rowId, userId, config, outbound } = source;
    if (config.Transport === "stdio") return await createProgramLink(source, mode);
    const url = readUrl(config);
    const target = {
      url,
      policy: outbound,
      ...(deps.resolve !== undefined && { resolve: deps.resolve }),
      async toHeaders() {
        const account = (await deps.authorize?.({ rowId, userId })) ?? null;
        return account === null ? toAuthHeaders(config) : [["authorization", account] as const];
      },
    };
    return await (config.Transport === "sse" ? createSseLink(target) : createHttpLink(target));
  }

  async function createProgramLink(
    { rowId, config, secrets }: LinkSource,
    mode: SessionLink["mode"],
  ): Promise<SessionLink> {
    const { timers, log, programs } = deps;
    if (programs === null) {
      throw new UpstreamError(
        "This hub starts no programs for MCP servers. An admin can set HUB_BRIDGE_STDIO, or use the transport http.",
      );
    }
    const variables = readVariables(config.Env);
    const named = readNamedSecrets(config.Secrets);
    return await createStdioLink(
      { timers, log, ...programs },
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
      const limited = limitProgress(deps.timers, progress);
      return await useSession(ctx, async (session) => {
        const result = await session.request(ctx, (options) =>
          session.client.callTool(
            { name, arguments: params, _meta },
            {
              ...options,
              // For the headers that a schema declares. Its output schema is not compiled here.
              toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
              onprogress: ({ progress: done, total, message }) =>
                limited.report(done, total, message),
            },
          ),
        );
        limited.flush();
        if (!session.takesMemory) takeArrived(result, ctx.memory);
        return toResult(result, ctx.attach);
      });
    },
    health: (ctx) => checkHealth(() => useSession(ctx, (session) => ping(session, ctx), true)),
  });
}

type LinkSource = {
  rowId: string;
  userId: string;
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

async function checkHealth(connect: () => Promise<void>): Promise<Health> {
  try {
    await connect();
    return { ok: true };
  } catch (thrown) {
    return { ok: false, reason: toUpstreamError(thrown).message };
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
