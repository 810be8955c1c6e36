import type { Config } from "../config.ts";
import type { Instance } from "../jobs/keep-instance.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { BuildInfo } from "../lib/process/build-info.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import { createMcp, type Mcp } from "../mcp/mcp.ts";
import { createCancelElsewhere } from "../mcp/replies/cancel-elsewhere.ts";
import { createMetaTools } from "../mcp/tools/meta-tools.ts";
import type { Operations } from "../operations/ports.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { RequestCancellation } from "../store/servers/request-cancellations.ts";
import { countServers } from "../store/servers/running-servers.ts";
import type { Store } from "../store/store.ts";

type McpParts = {
  config: Config;
  store: Store;
  log: Log;
  instance: Pick<Instance, "id">;
  operations: Operations;
  ring: RingHolder;
  metrics: Metrics;
  tracing: Tracing | null;
  now: () => number;
};

/** The MCP of a server, or of each client over stdio. */
export function createMcps(
  { config, store, log, instance, operations, ring, metrics, tracing, now }: McpParts,
  resources: AsyncDisposableStack,
) {
  const mcps: Mcp[] = [];
  const cancelRequest = ({ userId, sessionId, requestId }: RequestCancellation) => {
    const name = { owner: userId, session: sessionId, id: requestId };
    for (const mcp of mcps) mcp.cancelRequest(name);
  };
  const openMcp = (buildInfo: BuildInfo, baseUrl: string, localCommand?: string) => {
    const { mcpSessions: sessionIdPolicy } = config;
    const mcp = createMcp({
      operations,
      ring,
      tools: createMetaTools({ operations, buildInfo, baseUrl, localCommand }),
      log,
      metrics,
      buildInfo,
      sessionIdPolicy,
      ...(store.isShared && {
        cancelElsewhere: createCancelElsewhere({ ...store, log, now }),
        isOnlyServer: async () => {
          const counts = await countServers(store, instance.id, now());
          return Object.values(counts).reduce((sum, count) => sum + count, 0) <= 1;
        },
      }),
      isTraced: tracing !== null,
    });
    mcps.push(mcp);
    resources.defer(() => mcp.close());
    return mcp;
  };
  return { openMcp, cancelRequest };
}
