import type { Caller } from "../../caller.ts";
import { noMetrics } from "../../lib/metrics/metrics.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { createMcp } from "../mcp.ts";
import type { SessionIdPolicy } from "../modes/mcp-sessions.ts";
import type { CancelElsewhere } from "../replies/cancel-elsewhere.ts";
import type { ToolSet } from "../tool-set.ts";
import type { MetaTool } from "../tools/define-meta-tool.ts";
import { createMetaTools } from "../tools/meta-tools.ts";
import { createFakeOperations } from "./fake-operations.ts";

const testRing = createKeyRing([new Uint8Array(32).fill(7)]);

export const ada = makeCaller("ada");
export const ben = makeCaller("ben");

type Options = Parameters<typeof createFakeOperations>[0] & {
  sessionIdPolicy?: SessionIdPolicy;
  requestsMax?: number;
  /** Replaces the meta-tools. */
  tools?: readonly MetaTool[];
  /** Replaces the whole set of tools. */
  toolSet?: ToolSet;
  cancelElsewhere?: CancelElsewhere;
  isOnlyServer?: () => Promise<boolean>;
};

/** An Mcp with fake operations and a manual clock. */
export function openTestMcp({
  sessionIdPolicy = "adopt",
  requestsMax,
  tools,
  toolSet,
  cancelElsewhere,
  isOnlyServer,
  ...fake
}: Options = {}) {
  const timers = createManualTimers();
  const { operations, rows } = createFakeOperations(fake);
  const errors: unknown[] = [];
  const buildInfo = {
    hub_version: "1.2.3",
    server_build_time: "2026-11-20T00:00:00Z",
    server_commit: "abc1234",
  };
  const baseUrl = "https://hub.example";
  const mcp = createMcp({
    metrics: noMetrics,
    operations,
    ring: { current: () => testRing },
    tools: toolSet ?? createMetaTools({ operations, buildInfo, baseUrl }, tools),
    sessionIdPolicy,
    timers,
    ...(requestsMax && { requestsMax }),
    ...(cancelElsewhere && { cancelElsewhere }),
    ...(isOnlyServer && { isOnlyServer }),
    buildInfo,
    log: { error: (...parts: unknown[]) => errors.push(parts), warn: () => {} },
  });
  return { mcp, timers, rows, errors };
}

function makeCaller(name: string): Caller {
  return {
    userId: name,
    email: `${name}@hub.example`,
    name,
    role: "user",
    tags: new Set(),
    tokenId: `token-of-${name}`,
  };
}
