import { type ConnectorDefinition, defineRowConnector, UpstreamError } from "@hub/connector";
import type { DescribedSystem } from "../../connectors/by-row/described-system.ts";
import type { AnswerBudget, ProgramHealth } from "../../connectors/connector-port.ts";
import { ProgramFailure } from "../../connectors/program-failure.ts";
import { HubError } from "../../errors.ts";
import { hubPathKey } from "../../lib/hub-path.ts";
import { loopBytesMax } from "../../lib/limits/answer-limits.ts";
import { toNoMemory } from "../../lib/limits/to-no-memory.ts";
import { callTool } from "./call-mcp-tool.ts";
import { discoverTools } from "./discover-tools.ts";
import { refuseQuestion } from "./elicitation/check-questions.ts";
import type { RefusedQuestion } from "./elicitation/elicit.ts";
import { configFields } from "./mcp-config-fields.ts";
import type { McpConnectorDeps, McpContext, McpExtra } from "./mcp-context.ts";
import { readToolResult, type ToolResult } from "./results/read-tool-result.ts";
import { toResult, toToolError } from "./results/to-result.ts";
import { toUpstreamError } from "./results/to-upstream-error.ts";
import { ApprovedTools } from "./sessions/approved-tools.ts";
import type { McpSession } from "./sessions/open-mcp-session.ts";
import { RowSessions } from "./sessions/row-sessions.ts";

/** Another MCP server as a row: its tools are the row's operations. */
export function defineMcpConnector(deps: McpConnectorDeps): ConnectorDefinition<McpExtra> {
  const sessions = new RowSessions(deps);
  const approvedTools = new ApprovedTools(deps.timers);
  return defineRowConnector<McpExtra>()({
    key: "mcp",
    name: "MCP server",
    icon: "plug",
    tier: "builtin",
    description:
      "Another MCP server: its tools become operations, which an admin approves before they are used.",
    config: configFields,
    operations: "by row",
    discover: (ctx) =>
      sessions.use(
        // Some servers offer tools only to clients that can be asked. A program would start once more for it.
        ctx.config.Transport === "stdio" ? ctx : { ...ctx, elicit: showsAll },
        (session) => {
          ctx.describe?.(toDescribed(session));
          return discoverTools(session, ctx);
        },
        true,
      ),
    async run(ctx) {
      const { operation, params, progress } = ctx;
      const { sourceName: name, inputSchema } = operation;
      // A server that is a hub refuses a call that has come back to it.
      const _meta = { [hubPathKey]: [...ctx.hubs, await deps.readHubId()] };
      return await sessions.use(ctx, async (session) => {
        await approvedTools.check(session, ctx, operation);
        const refusals: RefusedQuestion[] = [];
        const asking = {
          ...ctx,
          noteRefused: (question: RefusedQuestion) => void refusals.push(question),
        };
        const result = await session
          .request(asking, (options) =>
            callTool(
              session,
              ctx,
              { name, inputSchema },
              { name, arguments: params, _meta },
              {
                ...options,
                onprogress: ({ progress: done, total, message }) => progress(done, total, message),
              },
            ),
          )
          .catch((thrown: unknown) => {
            throw explainFailure(thrown, refusals);
          });
        if (!session.takesMemory) takeArrived(result, ctx.memory);
        const read = readToolResult(result);
        if (read.isError) throw explainError(read, refusals);
        return toResult(read, ctx.attach);
      });
    },
    health: (ctx) => checkHealth(() => sessions.use(ctx, (session) => ping(session, ctx), true)),
  });
}

/** A discovery asks its admin nothing. */
const showsAll = { shows: { form: true, url: true } };

/**
 * The failure of a call whose question was not passed on says so. That of a call beside another one stays: the question may be of
 * the other.
 */
function explainFailure(thrown: unknown, refusals: readonly RefusedQuestion[]): unknown {
  const own = refusals.find(({ isOwn }) => isOwn);
  if (own === undefined || thrown instanceof HubError) return thrown;
  return refuseQuestion(own.reason);
}

/** The same for a result that is an error. The words of the tool stay, where the question may be of another call. */
function explainError(result: ToolResult, refusals: readonly RefusedQuestion[]): UpstreamError {
  const own = refusals.find(({ isOwn }) => isOwn);
  if (own !== undefined) return refuseQuestion(own.reason);
  const failure = toToolError(result.blocks);
  const [question] = refusals;
  if (question === undefined) return failure;
  return new UpstreamError(
    `${failure.message} Meanwhile the server asked its user a question. ${question.reason}`,
    {
      body: failure.body,
    },
  );
}

function toDescribed({ client }: McpSession): DescribedSystem {
  const server = client.getServerVersion();
  const { name = "", version = "", title = name } = server ?? {};
  const rest = { servers: [], authentications: [], tags: [] };
  return { title, version, description: client.getInstructions() ?? "", ...rest };
}

/** The newer protocol has no ping. */
async function ping(session: McpSession, ctx: McpContext): Promise<void> {
  await session.request(ctx, (options) =>
    session.client.getProtocolEra() === "modern"
      ? session.client.request({ method: "tools/list", params: {} }, options)
      : session.client.request({ method: "ping" }, options),
  );
}

async function checkHealth(connect: () => Promise<void>): Promise<ProgramHealth> {
  try {
    await connect();
    return { ok: true };
  } catch (thrown) {
    const failure = toUpstreamError(thrown);
    const output = failure instanceof ProgramFailure ? failure.programOutput : "";
    const reason = failure.message;
    return { ok: false, reason, ...(output !== "" && { program_output: output }) };
  }
}

/** All calls of a program, or of HTTP+SSE, share a stream, so one of them cannot wait. */
function takeArrived(result: object, memory: AnswerBudget): void {
  const { length } = JSON.stringify(result);
  if (length > loopBytesMax && !memory.takeArrived(length)) throw toNoMemory();
}
