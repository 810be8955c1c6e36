import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createEmbeddingsEndpoint, EmbeddingsError } from "./embeddings-endpoint.ts";
import {
  serveEmbeddings,
  type TestEmbeddings,
  toEmbeddingsAnswer,
  toTestVector,
} from "./testing/serve-embeddings.ts";

const key = "sk-an-embeddings-key";

let server: TestEmbeddings;
beforeEach(() => {
  server = serveEmbeddings();
});
afterEach(() => server.stop());

function embed(texts: string[], { url = server.url, timeoutMs = 5_000 } = {}) {
  const endpoint = createEmbeddingsEndpoint({ url, model: "test", readKey: () => key });
  return endpoint.embed(texts, { timeoutMs, signal: new AbortController().signal });
}

async function findFailure(texts: string[], options = {}): Promise<EmbeddingsError> {
  const thrown = await embed(texts, options).catch((err) => err);
  if (!(thrown instanceof EmbeddingsError)) throw new Error("The endpoint did not fail.");
  return thrown;
}

test("Each text gets its vector, whatever the order of the answer", async () => {
  const texts = ["close a bug", "send a message"];
  const vectors = await embed(texts);
  expect(vectors.map((vector) => [...vector])).toEqual(
    texts.map((text) => [...Float32Array.from(toTestVector(text))]),
  );
  expect(server.requests).toEqual([
    { authorization: `Bearer ${key}`, model: "test", input: texts },
  ]);
});

test("An answer without indexes is in the order of the texts", async () => {
  server.answerWith(() => Response.json({ data: [{ embedding: [1, 0] }, { embedding: [0, 1] }] }));
  expect((await embed(["a", "b"])).map((vector) => [...vector])).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test.each(["/v1", "/v1/", "/v1/embeddings"])("The address may end with %s", async (path) => {
  const url = new URL(path, server.url).href;
  expect(await embed(["a"], { url })).toHaveLength(1);
});

describe("a wrong answer is refused", () => {
  test.each<[string, () => Response]>([
    ["no JSON", () => new Response("<html>")],
    ["no list", () => Response.json({ data: {} })],
    ["too few vectors", () => toEmbeddingsAnswer([[1]])],
    ["too many vectors", () => toEmbeddingsAnswer([[1], [1], [1]])],
    ["different sizes", () => toEmbeddingsAnswer([[1, 2], [1]])],
    ["empty vectors", () => toEmbeddingsAnswer([[], []])],
    ["too large vectors", () => toEmbeddingsAnswer([Array(5_000).fill(1), Array(5_000).fill(1)])],
    ["not a number", () => toEmbeddingsAnswer([[1], [null]])],
    ["infinite numbers", () => new Response('{"data":[{"embedding":[1e999]},{"embedding":[1]}]}')],
    ["zeros", () => toEmbeddingsAnswer([[1], [0]])],
    ["base64", () => toEmbeddingsAnswer(["AACAPw==", "AACAPw=="])],
    [
      "one index twice",
      () => Response.json({ data: [1, 1].map((index) => ({ index, embedding: [1] })) }),
    ],
  ])("%s", async (_, answer) => {
    server.answerWith(answer);
    expect(await findFailure(["a", "b"])).toMatchObject({ code: "refused" });
  });
});

describe("a failure of the endpoint", () => {
  test.each([
    [400, "refused"],
    [413, "refused"],
    [401, "failed"],
    [404, "failed"],
    [429, "failed"],
    [500, "failed"],
  ] as const)("Status %d is %s, and the message has no part of the answer", async (status, code) => {
    server.answerWith(([text]) => new Response(`${text} ${key}`, { status }));
    const failure = await findFailure(["secret text"]);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(String(status));
    expect(failure.message).not.toContain("secret");
    expect(failure.message).not.toContain(key);
  });

  test.each([
    ["7", 7_000],
    ["999999999", 3_600_000],
    ["Wed, 21 Oct 2099 07:28:00 GMT", 3_600_000],
    ["-1", null],
  ])("Retry-After %s", async (value, retryAfterMs) => {
    const headers = { "retry-after": value };
    server.answerWith(() => new Response("", { status: 429, headers }));
    expect(await findFailure(["a"])).toMatchObject({ retryAfterMs });
  });

  test("A redirect is not followed, so that neither texts nor the key go elsewhere", async () => {
    const other = serveEmbeddings();
    try {
      for (const status of [301, 302, 307, 308]) {
        const headers = { location: `${other.url}/embeddings` };
        server.answerWith(() => new Response(null, { status, headers }));
        expect(await findFailure(["a"])).toMatchObject({ code: "failed" });
      }
      expect(other.requests).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  test("An answer without an end fails at the limit of its size", async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    server.answerWith(
      () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) })),
    );
    expect(await findFailure(["a"])).toMatchObject({ code: "failed" });
  });

  test("An endpoint that does not answer has timed out at the time limit", async () => {
    server.answerWith(() => new Promise(() => {}));
    expect(await findFailure(["a"], { timeoutMs: 20 })).toMatchObject({ code: "timed_out" });
  });

  test("An endpoint that is not there fails", async () => {
    const { url } = server;
    await server.stop();
    expect(await findFailure(["a"], { url })).toMatchObject({ code: "failed" });
  });
});
