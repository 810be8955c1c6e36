import { createHash } from "node:crypto";
import {
  type ConnectorDefinition,
  defineRowConnector,
  type Health,
  type OutboundPolicy,
  UpstreamError,
} from "@hub/connector";
import type { Caller } from "../../caller.ts";
import type { ConnectorCall } from "../../connectors/connector-port.ts";
import type { Network } from "../../connectors/local-connector.ts";
import type { Timers } from "../../lib/timers.ts";
import { createTokenBuckets } from "../../lib/token-buckets.ts";
import type { Log } from "../../plugins/process/plugin-log.ts";
import { configFields, type McpConfig } from "./config-fields.ts";
import { discoverTools } from "./discover-tools.ts";
import { createHttpLink, createSseLink } from "./http-link.ts";
import { type McpSession, openSession } from "./open-session.ts";
import { readHeaders } from "./secret-pairs.ts";
import type { SessionPool, SessionTarget } from "./session-pool.ts";
import { toResult } from "./to-result.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

/** What the connector needs of a call. */
export type McpExtra = Pick<ConnectorCall, "rowId" | "outbound" | "noteHttpStatus" | "secrets"> & {
  caller: Pick<Caller, "userId">;
};

export type McpConnectorDeps = Network & {
  timers: Timers;
  log: Log;
  sessions: SessionPool;
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
  const { rowId, outbound, noteHttpStatus, secrets, caller } = call;
  return { rowId, outbound, noteHttpStatus, secrets, caller };
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
    const { rowId, config, outbound, caller } = ctx;
    const { userId } = caller;
    return {
      rowId,
      // Accounts of users must not meet in a shared session.
      userId: config.SharedSession === true && deps.authorize === undefined ? null : userId,
      configId: createHash("sha256")
        .update(JSON.stringify([config, outbound]))
        .digest("base64"),
      isProcess: config.Transport === "stdio",
      open: async (signal) => {
        const link = await createLink({ rowId, userId, config, outbound });
        const onToolsChanged = () => {
          if (changes.take(rowId, 1) === 0) deps.onChanged?.(rowId);
        };
        return await openSession({ log: deps.log, rowId, onToolsChanged }, link, signal);
      },
    };
  }

  async function createLink({ rowId, userId, config, outbound }: LinkSource) {
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
      return await useSession(ctx, async (session) => {
        const result = await session.request(ctx, (options) =>
          session.client.callTool(
            { name, arguments: params },
            {
              ...options,
              // For the headers that a schema declares. Its output schema is not compiled here.
              toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
              onprogress: ({ progress: done, total, message }) => progress(done, total, message),
            },
          ),
        );
        return toResult(result);
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

function readUrl({ URL: text }: McpConfig): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new UpstreamError("The row's address is not a URL. An admin can correct it.");
}

function toAuthHeaders(config: McpConfig): [string, string][] {
  if (config.AuthMode === "bearer") return [["authorization", `Bearer ${config.Token}`]];
  return config.AuthMode === "headers" ? readHeaders(config.Headers) : [];
}

/** A header's value is a part of a secret field, so it is masked for itself. */
function maskParts({ config, mask }: Ctx): void {
  const isHttp = config.Transport !== "stdio";
  const pairs = isHttp && config.AuthMode === "headers" ? readHeaders(config.Headers) : [];
  for (const [, value] of pairs) if (value !== "") mask(value, { ofRow: true });
}
