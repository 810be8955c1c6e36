import type { Log } from "../lib/logs/create-log.ts";
import { createRefusalLog } from "../lib/logs/refusal-log.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { BuildInfo } from "../lib/process/build-info.ts";
import { systemTimers, type Timers } from "../lib/time/timers.ts";
import type { Operations } from "../operations/ports.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import { createLifecycle } from "./capabilities/lifecycle.ts";
import { createTasksCapability } from "./capabilities/tasks.ts";
import { createToolsCapability } from "./capabilities/tools.ts";
import { joinMethods } from "./capability.ts";
import { describeServer } from "./methods/server-description.ts";
import { endSession } from "./modes/end-session.ts";
import { createSessions, type SessionIdPolicy } from "./modes/mcp-sessions.ts";
import { createSessionMode } from "./modes/session-mode.ts";
import { createStatelessMode } from "./modes/stateless-mode.ts";
import { createRequestStates } from "./pending/request-states.ts";
import type { PendingTelling } from "./pending/tell-pending.ts";
import { createDecisionWatch } from "./pending/watch-decisions.ts";
import { type AnswerDeps, answerPost, type HttpPost } from "./replies/answer-post.ts";
import type { CancelElsewhere } from "./replies/cancel-elsewhere.ts";
import { createClientRequests } from "./replies/client-requests.ts";
import { type CallName, createInFlight } from "./replies/in-flight.ts";
import { type StdioOptions, serveStdio } from "./stdio/stdio.ts";
import type { ToolSet } from "./tool-set.ts";

/** The Model Context Protocol over HTTP and stdio. */
export type Mcp = {
  /** Answers an authenticated POST. */
  answerPost(post: HttpPost): Response | Promise<Response>;
  /** Answers a DELETE. Throws if there is no such session. */
  endSession(request: Pick<HttpPost, "headers" | "caller">): void;
  /**
   * Serves one client over a pair of streams. Resolves when the client has disconnected and its
   * calls have ended.
   */
  serveStdio(options: StdioOptions): Promise<void>;
  /** Cancels a request that its client cancelled on another server. */
  cancelRequest(name: CallName): void;
  /** Cancels running calls; resolves when they have ended and are recorded. */
  close(): Promise<void>;
};

type McpDeps = {
  tools: ToolSet;
  operations: Pick<Operations, "records" | "questions" | "tasks">;
  ring: Pick<RingHolder, "current">;
  buildInfo: BuildInfo;
  sessionIdPolicy: SessionIdPolicy;
  /** For clients whose requests may reach several servers; absent if there is one. */
  cancelElsewhere?: CancelElsewhere;
  /** Whether no other server runs now; absent if there is one. */
  isOnlyServer?: () => Promise<boolean>;
  log: Pick<Log, "error" | "warn">;
  metrics: Pick<Metrics, "countRefusal">;
  timers?: Timers;
  /** How many requests may run at once. */
  requestsMax?: number;
  /** Whether calls are traced, so that their own trace context is read. */
  isTraced?: boolean;
};

export function createMcp(deps: McpDeps): Mcp {
  const { buildInfo, log, timers = systemTimers, tools } = deps;
  const inFlight = createInFlight(deps);
  // What the hub offers of MCP, beside the lifecycle. Each capability is a file of `capabilities/` and a line here.
  const offered = [
    createToolsCapability({ ...deps, inFlight, pending: createTelling(deps, timers) }),
    createTasksCapability({ ...deps.operations, inFlight, timers }),
  ];
  const server = describeServer(buildInfo, offered);
  const capabilities = [createLifecycle(server, tools), ...offered];
  const answering: AnswerDeps = {
    log,
    timers,
    inFlight,
    sessions: createSessions({
      mode: deps.sessionIdPolicy,
      keepsIds: deps.cancelElsewhere !== undefined,
      timers,
    }),
    clientRequests: createClientRequests({ timers, isOnlyServer: deps.isOnlyServer }),
    cancelElsewhere: deps.cancelElsewhere ?? (() => {}),
    refusals: createRefusalLog({ log, timers, metrics: deps.metrics }),
    modes: {
      session: createSessionMode(joinMethods(capabilities, "session")),
      stateless: createStatelessMode(joinMethods(capabilities, "stateless"), server.serverInfo),
    },
  };
  return {
    answerPost: (post) => answerPost(answering, post),
    endSession: (request) => endSession(answering, request),
    serveStdio: (options) => serveStdio(answering, options),
    cancelRequest: (name) => void inFlight.cancel(name),
    close: () => inFlight.close(),
  };
}

function createTelling({ operations, ring }: McpDeps, timers: Timers): PendingTelling {
  const { questions, tasks } = operations;
  return {
    questions,
    tasks,
    timers,
    states: createRequestStates({ ring, now: () => timers.now() }),
    decisions: createDecisionWatch({ questions, timers }),
  };
}
