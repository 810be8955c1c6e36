import { type DiscoveredOperation, readConfig } from "@hub/connector";
import type { Invocation } from "../../../connectors/connector-port.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { createOpenApiConnector, type OpenApiDeps } from "../openapi-connector.ts";
import { readAtOnce } from "./read-at-once.ts";

export type TestRow = {
  /** The texts that the connector has masked. */
  masked: string[];
  /** What it has written to the log. */
  logged: unknown[][];
  /** Its settings, as the connector reads them. */
  config: Invocation["config"];
  discover(document?: string): Promise<DiscoveredOperation[]>;
  /** Calls an operation of the last discovery. */
  call(
    sourceName: string,
    params?: Record<string, unknown>,
    more?: Partial<Invocation>,
  ): Promise<unknown>;
};

/** A row of the connector. All host names resolve to this machine. */
export function openTestRow(
  config: Record<string, string>,
  deps: Partial<OpenApiDeps> = {},
): TestRow {
  const connector = createLocalConnector(
    createOpenApiConnector({ timers: systemTimers, openWorker: readAtOnce, ...deps }),
    ({ memory, rowId }) => ({ memory, rowId }),
    { resolve: async () => ["127.0.0.1"] },
  );
  const masked: string[] = [];
  const logged: unknown[][] = [];
  const log = (...given: unknown[]) => void logged.push(given);
  const mask = (text: string) => void masked.push(text);
  const base: Omit<Invocation, "operation" | "params"> = {
    rowId: "row-1",
    connectionId: null,
    config: readConfig(connector.configFields, config),
    signal: new AbortController().signal,
    caller: {
      userId: "user-1",
      email: "ada@hub.test",
      name: "Ada",
      role: "admin" as const,
      tags: new Set<string>(),
      tokenId: null,
    },
    runId: "run-1",
    secrets: [],
    memory: { take: () => null, takeArrived: () => true },
    outbound: { savedHosts: [], allow: ["127.0.0.1"] },
    log: { debug: log, info: log, warn: log, error: log },
    mask,
    maskIgnoreCase: mask,
    attach: () => ({ left_out: "The test takes no content blocks." }),
    recordHttpStatus() {},
    progress() {},
  };
  let operations: DiscoveredOperation[] = [];
  return {
    masked,
    logged,
    config: base.config,
    async discover(document) {
      operations =
        (await connector.discover?.({ ...base, ...(document !== undefined && { document }) })) ??
        [];
      return operations;
    },
    async call(sourceName, params = {}, more = {}) {
      const found = operations.find((one) => one.sourceName === sourceName);
      if (found === undefined) throw new Error(`The document has no operation ${sourceName}.`);
      // As the hub stores it.
      const { inputSchema, binding } = JSON.parse(JSON.stringify(found));
      const rowOperation = { sourceName, inputSchema, binding };
      return await connector.invoke({ ...base, operation: "op", rowOperation, params, ...more });
    },
  };
}
