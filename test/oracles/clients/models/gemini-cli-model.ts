import { listItems, type ModelProtocol, type ToolUse, toEventStream } from "./stub-model.ts";

/** The API of generated content. */
export const geminiCliModel: ModelProtocol = {
  isQuestion: (pathname) => /:(?:streamG|g)enerateContent$/.test(pathname),

  listTools: ({ tools }) =>
    listItems(tools)
      .flatMap(({ functionDeclarations }) => listItems(functionDeclarations))
      .map(({ name }) => `${name}`),

  listResults: ({ contents }) =>
    listItems(contents)
      .flatMap(({ parts }) => listItems(parts))
      .flatMap(({ functionResponse }) => {
        const { response } = Object(functionResponse);
        return response === undefined ? [] : [`${response.output ?? response.error}`];
      }),

  answer(uses, { pathname }) {
    const parts = uses.length > 0 ? uses.map(toCall) : [{ text: "Done." }];
    const candidate = { content: { role: "model", parts }, finishReason: "STOP", index: 0 };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const message = { candidates: [candidate], usageMetadata };
    return pathname.endsWith(":streamGenerateContent")
      ? toEventStream([message])
      : Response.json(message);
  },
};

function toCall({ name, input }: ToolUse) {
  return { functionCall: { name, args: input } };
}
