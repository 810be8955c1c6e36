import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiscoveredOperation } from "@hub/connector";
import type { AnswerBudget, DiscoverCall, Invocation } from "../../../connectors/connector-port.ts";
import { createLocalConnector, type Network } from "../../../connectors/local-connector.ts";
import { createLoopShares } from "../../../lib/time/loop-shares.ts";
import { systemTimers, type Timers } from "../../../lib/time/timers.ts";
import { createFence, type Fence, type FenceDeps } from "../../../plugins/fence/fence.ts";
import { createProcessGuard, type ProcessGuard } from "../../../plugins/process/process-guard.ts";
import { createTestCall } from "../../../plugins/testing/test-call.ts";
import { defineMcpConnector } from "../define-mcp-connector.ts";
import { type McpConnectorDeps, toMcpExtra } from "../mcp-context.ts";
import { createSessionPool, type PoolDeps } from "../sessions/session-pool.ts";

type Options = Partial<PoolDeps> &
  Network &
  Partial<Pick<McpConnectorDeps, "onChanged" | "authorizer">> & {
    timers?: Timers;
    /** By default programs start without a launcher, which takes some time. */
    fenceMode?: FenceDeps["mode"];
    startMs?: number;
    /** What ends programs with the hub, if other bridges share it; `close` leaves it open. */
    guard?: ProcessGuard;
  };

type CallOptions = {
  userId?: string;
  signal?: AbortSignal;
  rowId?: string;
  memory?: AnswerBudget;
  attach?: Invocation["attach"];
  leaveOut?: DiscoverCall["leaveOut"];
  elicit?: Invocation["elicit"];
};

const refuse = () => Promise.reject(new Error("no row of this test is connected"));
const noAuthorizer = { findToken: refuse, renewToken: refuse, findPage: refuse, refuse };

/** The connector `mcp` without the rest of the hub. `close` ends its sessions. */
export function openTestBridge({
  resolve,
  onChanged,
  authorizer = noAuthorizer,
  fenceMode = "off",
  startMs = 60_000,
  guard: sharedGuard,
  ...limits
}: Options = {}) {
  const logged: { fields: object; message: string }[] = [];
  const write = (fields: object, message: string) => void logged.push({ fields, message });
  const log = { debug: write, info: write, warn: write, error: write };
  const timers = limits.timers ?? systemTimers;
  const sessions = createSessionPool({
    timers,
    sessionsMax: 100,
    processesMax: 20,
    idleMs: 300_000,
    ...limits,
  });
  const folder = mkdtempSync(join(tmpdir(), "hub-mcp-"));
  const guard = sharedGuard ?? createProcessGuard({ log, systemTmp: folder });
  const env = { PATH: process.env.PATH, HUB_SECRET: "the hub's own" };
  const fence = createFence({ dataDir: folder, mode: fenceMode });
  let starts = 0;
  const counted: Fence = {
    ...fence,
    enclose(program) {
      starts += 1;
      return fence.enclose(program);
    },
  };
  const programs = {
    env,
    guard,
    fence: counted,
    toHomeDir: (rowId: string) => join(folder, rowId),
    npmCacheDir: join(folder, "npm-cache"),
    startMs,
  };
  const definition = defineMcpConnector({
    timers,
    log,
    sessions,
    programs,
    authorizer,
    loopShares: createLoopShares(),
    readHubId: async () => "00000000-0000-4000-8000-000000000000",
    ...(resolve && { resolve }),
    ...(onChanged && { onChanged }),
  });
  const connector = createLocalConnector(definition, toMcpExtra, resolve ? { resolve } : {});

  function toCall(config: Record<string, unknown>, options: CallOptions) {
    const { url } = config;
    const savedHosts = typeof url === "string" ? [new URL(url).host] : [];
    const { call, received } = createTestCall({
      config: { transport: "http", auth_mode: "none", shared_session: false, ...config },
      outbound: { savedHosts, allow: [] },
      ...(options.signal && { signal: options.signal }),
      ...(options.attach && { attach: options.attach }),
    });
    const caller = { ...call.caller, userId: options.userId ?? call.caller.userId };
    const memory = options.memory ?? call.memory;
    return { call: { ...call, caller, memory, rowId: options.rowId ?? call.rowId }, received };
  }

  return {
    /** The data folder of its hub. */
    folder,
    connector,
    sessions,
    logged,
    /** How many programs were started. */
    starts: () => starts,
    async discover(config: Record<string, unknown>, options: CallOptions = {}) {
      if (connector.discover === undefined) throw new Error("no discover");
      const { leaveOut = () => {} } = options;
      return await connector.discover({ ...toCall(config, options).call, leaveOut });
    },
    async health(config: Record<string, unknown>) {
      if (connector.health === undefined) throw new Error("no health");
      return await connector.health(toCall(config, {}).call);
    },
    /** Calls a tool; resolves with its result and with what the call reported meanwhile. */
    async callTool(
      config: Record<string, unknown>,
      tool: string | DiscoveredOperation,
      params: Record<string, unknown> = {},
      options: CallOptions = {},
    ) {
      const { call, received } = toCall(config, options);
      const sourceName = typeof tool === "string" ? tool : tool.sourceName;
      const inputSchema = typeof tool === "string" ? { type: "object" } : tool.inputSchema;
      const invocation: Invocation = {
        ...call,
        operation: "any",
        rowOperation: { sourceName, inputSchema, binding: null },
        params,
        elicit: options.elicit,
      };
      const result = await connector.invoke(invocation);
      return { result, received };
    },
    async close() {
      await sessions.close();
      if (sharedGuard === undefined) await guard.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
