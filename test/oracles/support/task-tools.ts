import { checkDeclared } from "@hub/server/mcp/tasks/check-declared.ts";
import { defineRecordingTool, type MetaTool } from "@hub/server/mcp/tools/define-meta-tool.ts";
import type { CallContext } from "@hub/server/operations/operations.ts";
import { z } from "zod";
import { askForm, readAnswer } from "./input-tools.ts";
import { lostOperation } from "./task-connector.ts";

/** The tools of the suite that may be tasks. Each calls an operation of this row, as `hub_execute` does. */
export function defineTaskTools(rowId: string): readonly MetaTool[] {
  const toId = (operation: string) => `conn:${rowId}/${operation}`;
  const define = (name: string, operation: string, options: ToolOptions = {}) =>
    defineTaskTool(name, toId(operation), options);
  return [
    define("greet", "greet", { readParams: ({ name }) => ({ name }) }),
    define("slow_compute", "compute", { readParams: ({ seconds }) => ({ seconds }) }),
    define("failing_job", "break", { needsTasks: true }),
    define("protocol_error_job", lostOperation),
    define("confirm_delete", "delete", { readParams: ({ filename }) => ({ filename }) }),
    define("multi_input", "deliver"),
    defineAskingTaskTool("test_tool_with_task", toId("welcome")),
  ];
}

type Args = Record<string, unknown>;

type ToolOptions = {
  /** Whether it refuses clients that did not declare tasks. */
  needsTasks?: boolean;
  readParams?: (args: Args) => Args;
};

const declaration = {
  description: "A tool of the conformance suite.",
  args: z.looseObject({}),
  annotations: { readOnlyHint: true },
};

function defineTaskTool(name: string, toolId: string, options: ToolOptions): MetaTool {
  const { needsTasks = false, readParams = () => ({}) } = options;
  const tool = defineRecordingTool({
    ...declaration,
    name,
    title: name,
    call({ operations }, ctx: CallContext, args) {
      if (needsTasks) checkDeclared(ctx);
      return operations.calls.call(ctx, { toolId, params: readParams(args) });
    },
  });
  return { ...tool, inputSchema: { type: "object", properties: {} } };
}

/** Asks its client for a name before it makes its call. */
function defineAskingTaskTool(name: string, toolId: string): MetaTool {
  const tool = defineTaskTool(name, toolId, {});
  return {
    ...tool,
    accept:
      () =>
      async ({ operations }, ctx, input) => {
        const answer = readAnswer(input, "user_name", "name");
        if (answer === null) return { requests: { user_name: askForm("name") }, kept: "asked" };
        return await operations.calls.call(ctx, { toolId, params: { name: answer } });
      },
  };
}
