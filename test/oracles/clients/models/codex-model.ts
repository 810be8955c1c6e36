import {
  listItems,
  type ModelProtocol,
  readText,
  type ToolUse,
  toEventStream,
} from "./stub-model.ts";

/** The Responses API. The tools of a server are in a namespace, which a use names beside the tool. */
export const codexModel: ModelProtocol = {
  isQuestion: (pathname) => pathname === "/v1/responses",

  listTools: ({ tools }) =>
    listItems(tools).flatMap(({ name, tools: inner }) =>
      inner === undefined
        ? [`${name}`]
        : listItems(inner).map((tool) => `${name}${separator}${tool.name}`),
    ),

  listResults: ({ input }) =>
    listItems(input).flatMap(({ type, output }) =>
      type === "function_call_output" ? [readText(output)] : [],
    ),

  answer(uses) {
    const id = `resp_${crypto.randomUUID()}`;
    const output = uses.length > 0 ? uses.map(toCall) : [said];
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const events = [
      { type: "response.created", response: { id } },
      ...output.map((item, at) => ({ type: "response.output_item.done", output_index: at, item })),
      { type: "response.completed", response: { id, output, usage } },
    ];
    return toEventStream(events, (event) => `${Object(event).type}`);
  },
};

/** Between a namespace and a tool of it, in the names of this file. */
const separator = "\n_";

const said = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text: "Done." }],
};

function toCall({ name, input }: ToolUse) {
  const [first = "", second] = name.split(separator);
  return {
    type: "function_call",
    call_id: `call_${crypto.randomUUID()}`,
    ...(second === undefined ? { name: first } : { namespace: first, name: second }),
    arguments: JSON.stringify(input),
  };
}
