import { tmpdir } from "node:os";
import { join } from "node:path";
import { mayStartPrograms } from "../bridges/may-start-programs.ts";
import { defineMcpConnector } from "../bridges/mcp/define-mcp-connector.ts";
import { toMcpExtra } from "../bridges/mcp/mcp-context.ts";
import { addSignIn } from "../bridges/mcp/oauth/add-sign-in.ts";
import { createRowAuthorizer } from "../bridges/mcp/oauth/authorize-row.ts";
import { usesOAuth } from "../bridges/mcp/oauth/connect-target.ts";
import { sealExposed } from "../bridges/mcp/secrets/seal-exposed.ts";
import { createSessionPool } from "../bridges/mcp/sessions/session-pool.ts";
import { createOpenApiConnector } from "../bridges/openapi/openapi-connector.ts";
import type { Config } from "../config.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { createLoopShares } from "../lib/time/loop-shares.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { Fence } from "../plugins/fence/fence.ts";
import { createProcessGuard } from "../plugins/process/process-guard.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Db } from "../store/database/database.ts";
import { type BridgeJobDeps, createBridgeJobs } from "./bridge-jobs.ts";
import type { JobLists } from "./start-jobs.ts";

/** Sessions with MCP servers of all rows and users. */
const sessionLimits = { sessionsMax: 100, processesMax: 8, idleMs: 5 * 60_000 };

type BridgeParts = {
  config: Config;
  fence: Fence;
  log: Log;
  /** The random id of this hub. */
  readHubId(): Promise<string>;
  db: Db;
  ring: RingHolder;
  /** The clock that all servers share. */
  now: () => number;
  /** The hub's address for clients. */
  findBaseUrl(): Promise<string>;
};

/** The connectors whose rows bring their operations: other MCP servers, and APIs with a document. */
export function openBridges({ config, fence, log, readHubId, ...stored }: BridgeParts): {
  connectors: RegisteredConnector[];
  /** Gives connectors the access tokens of rows and accounts that were got by a sign-in. */
  addSignIn(connector: RegisteredConnector): RegisteredConnector;
  /** What is done about their rows from time to time. */
  createJobs(parts: Pick<BridgeJobDeps, "services" | "now" | "directory">): JobLists;
  close(): Promise<void>;
} {
  const timers = systemTimers;
  const sessions = createSessionPool({ timers, ...sessionLimits });
  const guard = createProcessGuard({ log, systemTmp: tmpdir() });
  const toHomeDir = (rowId: string) => join(config.dataDir, "bridges", rowId);
  const npmCacheDir = join(config.dataDir, "bridges", "npm-cache");
  const startMs = config.bridgeStartSeconds * 1000;
  const program = { env: process.env, guard, fence, toHomeDir, npmCacheDir, startMs };
  const programs = mayStartPrograms(config) ? program : null;
  const changedRows = new Set<string>();
  const authorizer = createRowAuthorizer({ ...stored, timers, log });
  const mcp = defineMcpConnector({
    timers,
    log,
    sessions,
    programs,
    readHubId,
    authorizer,
    loopShares: createLoopShares(),
    onChanged: (rowId) => changedRows.add(rowId),
  });
  const openapi = createOpenApiConnector({ timers });
  return {
    connectors: [
      {
        ...createLocalConnector(mcp, toMcpExtra),
        sealExposed,
        needsConnection: usesOAuth,
        startMs: ({ transport }) => (transport === "stdio" ? startMs : 0),
        startsProgram: (texts) => texts.get("transport") === "stdio",
        markedFor: toAnswerer("transport", "url", "command", "args", "folder"),
      },
      {
        ...createLocalConnector(openapi, ({ rowId, memory }) => ({ rowId, memory })),
        markedFor: toAnswerer("base_url", "other_servers", "server_variables"),
      },
    ],
    addSignIn: (connector) => addSignIn(connector, authorizer),
    createJobs: (parts) =>
      createBridgeJobs({
        ...parts,
        log,
        changedRows,
        sessions,
        outboundAllow: config.outboundAllow,
      }),
    async close() {
      await sessions.close();
      await authorizer.close();
      await guard.close();
    },
  };
}

/** What answers the calls of a row: these of its settings. */
function toAnswerer(...keys: string[]): (texts: ReadonlyMap<string, string>) => string {
  return (texts) => JSON.stringify(keys.map((key) => texts.get(key) ?? ""));
}
