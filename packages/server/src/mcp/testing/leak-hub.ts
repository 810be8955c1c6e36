import { defineConnector, type OperationTools, wick } from "@hub/connector";
import { noMetrics } from "../../lib/metrics/metrics.ts";
import { toToolId } from "../../operations/catalogue/tool-id.ts";
import {
  openTestOperations,
  testUserId,
  toTestCall,
} from "../../operations/testing/open-test-operations.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { putRowValues } from "../../store/rows/rows-table.ts";
import { createMcp } from "../mcp.ts";
import { createMetaTools } from "../tools/meta-tools.ts";

/** The behaviour of the fixture's operation in its next call. */
export type Act = (
  tools: OperationTools & { params: Record<string, unknown> },
) => unknown | Promise<unknown>;

/** A hub with one row whose connector runs a given function, called directly or over MCP. */
export async function openLeakHub() {
  let act: Act = () => null;
  const connector = defineConnector({
    key: "leaky",
    name: "Leaky",
    icon: "droplet",
    tier: "builtin",
    description: "Reveals everything it knows.",
    config: { Token: wick("secret;required"), Pin: wick("secret"), Region: wick("default=eu") },
    operations: {
      act: {
        description: "Runs the function of the case.",
        reads: true,
        input: { Password: wick("secret"), Text: wick(""), Data: wick.json("") },
        run: (tools) => act(tools),
      },
    },
  });
  const hub = await openTestOperations(connector, { resultBytesMax: 256 * 1024 });
  const rowId = await hub.addRow({ tags: ["team"], secrets: { token: "set anew by each case" } });
  const recordLog = (...parts: unknown[]) => {
    hub.logged.push({ fields: parts, message: "of MCP" });
  };
  const { operations } = hub;
  const buildInfo = { hub_version: "1", server_build_time: "", server_commit: "" };
  const mcp = createMcp({
    metrics: noMetrics,
    operations,
    ring: hub.ring,
    tools: createMetaTools({ operations, buildInfo, baseUrl: "https://hub.example" }),
    buildInfo,
    sessionIdPolicy: "adopt",
    log: { error: recordLog, warn: recordLog },
  });
  return {
    ...hub,
    mcp,
    rowId,
    toolId: toToolId(rowId, "act"),
    caller: toTestCall(["team"]).caller,
    userId: testUserId,
    setAct(next: Act) {
      act = next;
    },
    /** Sets the row's secrets as the services do. */
    async setSecrets(secrets: Record<string, string>): Promise<void> {
      const values = Object.entries(secrets).map(([key, text]) => {
        const location = { table: "row_values", row: rowId, field: key };
        return { key, value: null, sealed: sealAtRest(hub.ring.current(), location, text) };
      });
      await putRowValues(hub.store.db, rowId, values, Date.now());
    },
    async close() {
      await mcp.close();
      await hub.close();
    },
  };
}

export type LeakHub = Awaited<ReturnType<typeof openLeakHub>>;
