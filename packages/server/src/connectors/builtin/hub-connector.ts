import { defineConnectorWith, wick } from "@hub/connector";
import type { Db } from "../../store/database/database.ts";
import { listRunPage } from "../../store/runs/run-pages.ts";
import type { ListedRun } from "../../store/runs/runs-table.ts";
import { toVisibleTags } from "../rows/row-visibility.ts";
import {
  defineReadScript,
  defineRunScript,
  type HubCall,
  type RunScript,
} from "./script-operations.ts";

const limitMax = 100;

/** The `hub` connector: the caller's user, recent calls and scripts. */
export function defineHubConnector(deps: { db: Db; runScript: RunScript }) {
  return defineConnectorWith<HubCall>()({
    key: "hub",
    name: "Hub",
    icon: "hub",
    tier: "builtin",
    description: "This hub: your user, your recent calls, and scripts that call operations.",
    config: {},
    operations: {
      whoami: {
        name: "Who am I",
        description:
          "Show the user of this session.\n\nReturns the e-mail, the role and the tags, which decide which tools are visible. Use it when an expected tool is missing.",
        reads: true,
        run: ({ caller }) => ({
          user_id: caller.userId,
          email: caller.email,
          name: caller.name,
          role: caller.role,
          tags: [...caller.tags].sort(),
        }),
      },
      my_recent_calls: {
        name: "My recent calls",
        description:
          "List your latest tool calls, newest first.\n\nEach has its tool_id, status, error, duration and time. Use it to see what was already done or why a call failed. Requests and results are not included.",
        reads: true,
        input: {
          limit: wick.int(`default=20;desc=How many calls to list, 1 to ${limitMax}.`),
          status: wick(
            "dropdown=running|success|error|denied|cancelled;desc=Only calls with this status.",
          ),
        },
        examples: [
          { description: "The last five failures", params: { limit: 5, status: "error" } },
        ],
        run: async ({ caller, params }) => {
          const limit = Math.min(Math.max(Number(params.limit), 1), limitMax);
          // Past calls of rows that the caller no longer sees are left out.
          const visibleTags = toVisibleTags(caller);
          const { runs } = await listRunPage(deps.db, {
            userId: caller.userId,
            limit,
            ...(params.status !== undefined && { status: toRunStatus(params.status) }),
            ...(visibleTags !== undefined && { rowsTaggedAmong: visibleTags }),
            ...(caller.bounds && { within: caller.bounds }),
          });
          return { calls: runs.map(toCall) };
        },
      },
      read_script: defineReadScript(deps.runScript),
      run_script: defineRunScript(deps.runScript),
    },
  });
}

function toRunStatus(status: string): ListedRun["status"] {
  // The dropdown allows only these five values.
  return status as ListedRun["status"];
}

function toCall(run: ListedRun) {
  return {
    tool_id: run.connectorId === null ? null : `conn:${run.connectorId}/${run.operationKey}`,
    // A call of a row that the caller could not see has no label.
    tool: run.rowLabel === null ? run.operationKey : `${run.rowLabel}: ${run.operationKey}`,
    status: run.status,
    ...(run.errorMsg !== null && { error: run.errorMsg }),
    latency_ms: run.latencyMs,
    started_at: new Date(run.startedAt).toISOString(),
  };
}
