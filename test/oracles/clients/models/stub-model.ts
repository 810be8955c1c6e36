import { isJsonObject } from "@hub/connector";

export type ToolUse = { name: string; input: Record<string, unknown> };

/** What a model does next, given the texts that its earlier uses of tools have returned. Without uses it ends its turn. */
type ModelTurn = (results: readonly string[]) => readonly ToolUse[] | Promise<readonly ToolUse[]>;

/** How one client asks its model. */
export type ModelProtocol = {
  /** Whether a path is of the questions to the model. Others are answered with `{}`. */
  isQuestion(pathname: string): boolean;
  /** The names of the tools that the client offers, as the model is to write them. */
  listTools(body: Record<string, unknown>): string[];
  /** The texts that the uses of tools have returned, in their order. */
  listResults(body: Record<string, unknown>): string[];
  /** The answer of a model that uses these tools, or that says a word. */
  answer(
    uses: readonly ToolUse[],
    question: { body: Record<string, unknown>; pathname: string },
  ): Response;
};

type StubModel = AsyncDisposable & {
  url: string;
  /** What its turn threw: the client shows it as a failure of the model. */
  failures: unknown[];
};

/**
 * A model that runs on this machine. A turn names a tool by the last part of its name, such as `hub_execute`. A question
 * without tools, such as one for a title, is answered with a word.
 */
export function startStubModel(protocol: ModelProtocol, turn: ModelTurn): StubModel {
  const failures: unknown[] = [];
  // A client may send a question twice, and the turn is asked once.
  const turns: Map<number, ReturnType<ModelTurn>> = new Map();

  async function answer(pathname: string, body: Record<string, unknown>): Promise<Response> {
    const tools = protocol.listTools(body);
    if (tools.length === 0) return protocol.answer([], { body, pathname });
    const results = protocol.listResults(body);
    const uses = turns.get(results.length) ?? turn(results);
    turns.set(results.length, uses);
    const named = (await uses).map(({ name, input }) => ({ name: findTool(tools, name), input }));
    return protocol.answer(named, { body, pathname });
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(req) {
      const { pathname } = new URL(req.url);
      const body: unknown = req.method === "POST" ? await req.json() : null;
      if (!isJsonObject(body) || !protocol.isQuestion(pathname)) return Response.json({});
      try {
        return await answer(pathname, body);
      } catch (failure) {
        failures.push(failure);
        return Response.json({ error: { message: `${failure}` } }, { status: 400 });
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    failures,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function findTool(tools: readonly string[], name: string): string {
  const found = tools.find((tool) => tool === name || tool.endsWith(`_${name}`));
  if (found === undefined) throw new Error(`The client offers no ${name}: ${tools.join(", ")}`);
  return found;
}

/** The events of a streamed answer. */
export function toEventStream(
  events: readonly object[],
  toName?: (event: object) => string,
): Response {
  const text = events
    .map((event) => {
      const name = toName === undefined ? "" : `event: ${toName(event)}\n`;
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** The text of a member that is one, or a list of parts with text. */
export function readText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.map((part) => `${Object(part).text ?? ""}`).join("");
}

/** The items of a member that is a list of objects. */
export function listItems(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
