import { type Json, toJsonText } from "@hub/connector";
import { HubError } from "@hub/server/errors.ts";
import { defineRecordingTool, type MetaTool } from "@hub/server/mcp/tools/define-meta-tool.ts";
import type { CallContext } from "@hub/server/operations/operations.ts";
import { z } from "zod";
import { inputTools } from "./input-tools.ts";

/** The tools that the conformance suite calls by name, if an operation can have their results. */
export const fixtureTools: readonly MetaTool[] = [
  defineFixture("test_simple_text", () => "This is a simple text response for testing."),
  defineFixture("test_error_handling", () => {
    throw new HubError("upstream_error", "This tool intentionally returns an error for testing");
  }),
  defineFixture("test_tool_with_progress", reportProgress),
  // The hub sends no log messages to clients.
  defineFixture("test_logging_tool", () => "Logged."),
  // The tool sends no requests to the client.
  defineFixture("test_streaming_elicitation", reportProgress),
  defineFixture("json_schema_2020_12_tool", () => "Called.", {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
  ...inputTools,
];

function defineFixture(
  name: string,
  run: (ctx: CallContext) => string | Promise<string>,
  schema: Record<string, Json> = {},
): MetaTool {
  const tool = defineRecordingTool({
    name,
    title: name,
    description: "A tool of the conformance suite.",
    args: z.looseObject({}),
    annotations: { readOnlyHint: true },
    async call(_deps, ctx) {
      const value = await run(ctx);
      return { value, text: toJsonText(value), runId: "fixture" };
    },
  });
  // The suite compares each keyword of the listed schema with its own schema.
  return { ...tool, inputSchema: { type: "object", properties: {}, ...schema } };
}

async function reportProgress({ onProgress }: CallContext): Promise<string> {
  for (const done of [0, 50, 100]) {
    onProgress?.({ done, total: 100 });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return "Done.";
}
