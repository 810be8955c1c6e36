import { defineMcpConnector, toMcpExtra } from "../bridges/mcp/define-mcp-connector.ts";
import { createSessionPool } from "../bridges/mcp/session-pool.ts";
import { createOpenApiConnector } from "../bridges/openapi/connector.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import type { Log } from "../lib/create-log.ts";
import { systemTimers } from "../lib/timers.ts";

/** Sessions with MCP servers of all rows and users. */
const sessionLimits = { sessionsMax: 100, processesMax: 8, idleMs: 5 * 60_000 };

/** The connectors whose rows bring their operations: other MCP servers, and APIs with a document. */
export function openBridges({ log, onChanged }: { log: Log; onChanged(rowId: string): void }): {
  connectors: RegisteredConnector[];
  close(): Promise<void>;
} {
  const sessions = createSessionPool({ timers: systemTimers, ...sessionLimits });
  const mcp = defineMcpConnector({ timers: systemTimers, log, sessions, onChanged });
  const openapi = createOpenApiConnector({ timers: systemTimers });
  return {
    connectors: [
      createLocalConnector(mcp, toMcpExtra),
      createLocalConnector(openapi, ({ rowId, memory }) => ({ rowId, memory })),
    ],
    close: () => sessions.close(),
  };
}
