import { isJsonObject, type Json, toJsonText } from "@hub/connector";
import type { ClientInput, NeededInput } from "@hub/server/mcp/pending/needed-input.ts";
import { defineRecordingTool, type MetaTool } from "@hub/server/mcp/tools/define-meta-tool.ts";
import type { CallContext, ClientRequest } from "@hub/server/operations/operations.ts";
import { z } from "zod";

/** The tools of the suite that ask their client before they answer. */
export const inputTools: readonly MetaTool[] = [
  defineAsking("test_input_required_result_elicitation", askOnce({ user_name: askForm("name") })),
  defineAsking("test_input_required_result_sampling", askOnce({ capital_question: askModel() })),
  defineAsking("test_input_required_result_list_roots", askOnce({ client_roots: askRoots() })),
  defineAsking("test_input_required_result_request_state", askOnce({ confirm: askForm("ok") })),
  defineAsking("test_input_required_result_tampered_state", askOnce({ confirm: askForm("ok") })),
  defineAsking(
    "test_input_required_result_multiple_inputs",
    askOnce({ user_name: askForm("name"), greeting: askModel(), client_roots: askRoots() }),
  ),
  defineAsking("test_input_required_result_multi_round", (input): NeededInput | string => {
    if (readAnswer(input, "step2", "color") !== null && input.kept === "step1") return "Done.";
    const isNamed = readAnswer(input, "step1", "name") !== null;
    if (isNamed) return { requests: { step2: askForm("color") }, kept: "step1" };
    return { requests: { step1: askForm("name") }, kept: null };
  }),
  defineAsking("test_input_required_result_capabilities", (_input, { client }) => ({
    requests: {
      ...(client?.elicitation.form && { form: askForm("name") }),
      ...(client?.sampling && { greeting: askModel() }),
    },
    kept: null,
  })),
  defineAsking("test_missing_capability", () => ({
    requests: { greeting: askModel() },
    kept: null,
  })),
];

type Ask = (input: ClientInput, ctx: CallContext) => NeededInput | string;

function defineAsking(name: string, ask: Ask): MetaTool {
  const tool = defineRecordingTool({
    name,
    title: name,
    description: "A tool of the conformance suite.",
    args: z.looseObject({}),
    annotations: { readOnlyHint: true },
    call: () => Promise.reject(new Error("It is run with the answers of its client.")),
  });
  return {
    ...tool,
    inputSchema: { type: "object", properties: {} },
    accept: () => async (_deps, ctx, input) => {
      const answer = ask(input, ctx);
      if (typeof answer !== "string") return answer;
      return { value: answer, text: toJsonText(answer), runId: "fixture" };
    },
  };
}

/** Asks until every request has an answer of its form. */
function askOnce(requests: Record<string, ClientRequest>): Ask {
  return ({ responses, kept }) => {
    const isAnswered = Object.keys(requests).every((key) => isJsonObject(responses[key]));
    return isAnswered ? `state-ok ${toJsonText(kept)}` : { requests, kept: "asked" };
  };
}

/** What the form says; null if it was not accepted. */
export function readAnswer({ responses }: ClientInput, key: string, field: string): Json | null {
  const response = responses[key];
  const content = isJsonObject(response) && response.action === "accept" ? response.content : null;
  return isJsonObject(content) ? (content[field] ?? null) : null;
}

export function askForm(field: string): ClientRequest {
  const type = field === "ok" ? "boolean" : "string";
  const requestedSchema = {
    type: "object",
    properties: { [field]: { type } },
    required: [field],
  };
  return { method: "elicitation/create", params: { message: `What ${field}?`, requestedSchema } };
}

function askModel(): ClientRequest {
  const messages = [{ role: "user", content: { type: "text", text: "Generate a greeting" } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens: 50 } };
}

function askRoots(): ClientRequest {
  return { method: "roots/list", params: {} };
}
