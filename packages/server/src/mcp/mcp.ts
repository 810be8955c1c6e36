import type { Log } from "../lib/create-log.ts";
import type { Metrics } from "../lib/metrics.ts";
import { createRefusalLog } from "../lib/refusal-log.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";
import { type AnswerDeps, answerPost, type HttpPost } from "./answer-post.ts";
import type { CancelElsewhere } from "./cancel-elsewhere.ts";
import { endSession } from "./end-session.ts";
import { type CallName, createInFlight } from "./in-flight.ts";
import { callTool } from "./methods/call-tool.ts";
import { discover } from "./methods/discover.ts";
import { initialize } from "./methods/initialize.ts";
import { createToolsList } from "./methods/list-tools.ts";
import { describeServer } from "./methods/server-description.ts";
import type { Method } from "./protocol-mode.ts";
import { withHubPath } from "./read-hub-path.ts";
import { withTraceContext } from "./read-trace-context.ts";
import { createSessionMode } from "./session-mode.ts";
import { createSessions, type SessionIdPolicy } from "./sessions.ts";
import { createStatelessMode } from "./stateless-mode.ts";
import { type StdioOptions, serveStdio } from "./stdio.ts";
import type { MetaTool, ToolDeps } from "./tools/define-meta-tool.ts";
import { metaTools } from "./tools/meta-tools.ts";

/** The Model Context Protocol over HTTP and stdio. */
export type Mcp = {
  /** Answers an authenticated POST. */
  answerPost(post: HttpPost): Promise<Response>;
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

type McpDeps = ToolDeps & {
  sessionIdPolicy: SessionIdPolicy;
  /** For clients whose requests may reach several servers; absent if there is one. */
  cancelElsewhere?: CancelElsewhere;
  log: Pick<Log, "error" | "warn">;
  metrics: Pick<Metrics, "countRefusal">;
  timers?: Timers;
  /** How many requests may run at once. */
  requestsMax?: number;
  /** Whether calls are traced, so that their own trace context is read. */
  isTraced?: boolean;
  /** The tools that clients see. Only tests of the protocol itself replace the meta-tools. */
  tools?: readonly MetaTool[];
};

export function createMcp(deps: McpDeps): Mcp {
  const { buildInfo, log, timers = systemTimers, tools = metaTools, operations } = deps;
  const inFlight = createInFlight(deps);
  const callDeps = { ...deps, inFlight, tools: new Map(tools.map((tool) => [tool.name, tool])) };
  const server = describeServer(buildInfo);
  const toolsList = createToolsList(tools);

  const listTools: Method = (_ctx, params) => toolsList(params);
  const callUntraced: Method = (ctx, params) =>
    callTool(callDeps, withHubPath(ctx, params), params);
  const callOneTool: Method = deps.isTraced
    ? (ctx, params) => callUntraced(withTraceContext(ctx, params), params)
    : callUntraced;
  const answering: AnswerDeps = {
    operations,
    log,
    timers,
    inFlight,
    sessions: createSessions({
      mode: deps.sessionIdPolicy,
      keepsIds: deps.cancelElsewhere !== undefined,
      timers,
    }),
    cancelElsewhere: deps.cancelElsewhere ?? (() => {}),
    refusals: createRefusalLog({ log, timers, metrics: deps.metrics }),
    modes: {
      session: createSessionMode({
        initialize: (_ctx, params) => initialize(server, params),
        ping: () => "",
        listTools,
        callTool: callOneTool,
      }),
      stateless: createStatelessMode(
        { discover: () => discover(server), listTools, callTool: callOneTool },
        server.serverInfo,
      ),
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
