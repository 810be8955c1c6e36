import { noInput } from "@hub/server/mcp/pending/needed-input.ts";
import { createMetaTools } from "../../../packages/server/src/mcp/tools/meta-tools.ts";
import type { CallContext } from "../../../packages/server/src/operations/operations.ts";
import type { Operations } from "../../../packages/server/src/operations/ports.ts";

/** What a client gets of a hub, as texts. */
export type AskHub = {
  /** The text of the answer of a meta-tool. */
  call(tool: string, args: Record<string, unknown>): Promise<string>;
  /** The tools, as `tools/list` has them. */
  listTools(): Promise<string>;
  instructions(): Promise<string>;
};

const buildInfo = {
  hub_version: "1.0.0",
  server_build_time: "2026-11-20T00:00:00Z",
  server_commit: "abc1234",
};

/** Asks the meta-tools of this process, without a server between. */
export function createAsk(operations: Operations, ctx: CallContext): AskHub {
  const tools = createMetaTools({ operations, buildInfo, baseUrl: "http://127.0.0.1" });
  return {
    async call(name, args) {
      const tool = await tools.find(ctx.caller, name);
      if (tool === null) throw new Error(`There is no tool ${name}.`);
      const answer = await tool.accept(args)(ctx, noInput);
      if ("requests" in answer) throw new Error(`${name} asks its client.`);
      return answer.text;
    },
    async listTools() {
      const listed = await tools.list(ctx.caller);
      return JSON.stringify(
        listed.map(({ name, title, description, inputSchema, annotations }) => ({
          name,
          title,
          description,
          inputSchema,
          annotations,
        })),
      );
    },
    instructions: async () => await tools.instructions(ctx.caller),
  };
}
