import { type ConnectorDefinition, defineRowConnector } from "@hub/connector";
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
import { configFields } from "./mcp-config-fields.ts";
import type { McpConnectorDeps, McpContext, McpExtra } from "./mcp-context.ts";
import { readToolResult } from "./results/read-tool-result.ts";
import { toResult } from "./results/to-result.ts";
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
        const refusals: string[] = [];
        const asking = { ...ctx, noteRefused: (reason: string) => void refusals.push(reason) };
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
            throw explainRefused(thrown, refusals);
          });
        if (!session.takesMemory) takeArrived(result, ctx.memory);
        const read = readToolResult(result);
        const [refused] = refusals;
        if (read.isError && refused !== undefined) throw refuseQuestion(refused);
        return toResult(read, ctx.attach);
      });
    },
    health: (ctx) => checkHealth(() => sessions.use(ctx, (session) => ping(session, ctx), true)),
  });
}

/** A discovery asks its admin nothing. */
const showsAll = { shows: { form: true, url: true } };

/** The failure of a call that followed from a question which was not passed on says so. */
function explainRefused(thrown: unknown, [refused]: readonly string[]): unknown {
  if (refused === undefined || thrown instanceof HubError) return thrown;
  return refuseQuestion(refused);
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
