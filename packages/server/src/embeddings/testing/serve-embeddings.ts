/** A request that the endpoint got. */
export type ReceivedRequest = { authorization: string | null; model: unknown; input: string[] };

export type TestEmbeddings = {
  /** The base address for HUB_EMBEDDINGS_URL. */
  url: string;
  requests: ReceivedRequest[];
  /** All texts of all requests. */
  received(): string[];
  /** Replaces the answers from now on; null restores them. */
  answerWith(answer: ((input: string[]) => Response | Promise<Response>) | null): void;
  stop(): Promise<void>;
};

/**
 * Each list has words of one meaning. A text's vector counts the words of each list that it has.
 */
const meanings = [
  ["issue", "bug", "flaw", "ticket"],
  ["close", "resolve", "finish"],
  ["message", "conversation", "chat"],
  ["invoice", "bill", "payment"],
  ["list", "show", "enumerate"],
];

/** The vector of a text: one number for each meaning, and one that every text shares. */
export function toTestVector(text: string): number[] {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const counts = meanings.map(
    (meaning) => words.filter((word) => meaning.some((one) => word.startsWith(one))).length,
  );
  return [...counts, 0.1];
}

/** The answer of a correct endpoint. */
export function toEmbeddingsAnswer(vectors: readonly unknown[]): Response {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return Response.json({ object: "list", data: data.reverse(), model: "test", usage: {} });
}

/** An OpenAI-compatible endpoint on this machine that refuses wrong requests. */
export function serveEmbeddings(): TestEmbeddings {
  const requests: ReceivedRequest[] = [];
  let answer: ((input: string[]) => Response | Promise<Response>) | null = null;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST" || pathname !== "/v1/embeddings") {
        return new Response("not found", { status: 404 });
      }
      const { model, input, ...others } = Object(await request.json());
      const isValid =
        request.headers.get("content-type") === "application/json" &&
        typeof model === "string" &&
        Array.isArray(input) &&
        input.length > 0 &&
        input.every((text) => typeof text === "string" && text !== "") &&
        JSON.stringify(others) === '{"encoding_format":"float"}';
      if (!isValid) return new Response("wrong request", { status: 400 });
      requests.push({ authorization: request.headers.get("authorization"), model, input });
      return (await answer?.(input)) ?? toEmbeddingsAnswer(input.map(toTestVector));
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    received: () => requests.flatMap(({ input }) => input),
    answerWith(next) {
      answer = next;
    },
    stop: () => server.stop(true),
  };
}
