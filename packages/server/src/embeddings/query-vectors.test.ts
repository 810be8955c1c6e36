import { describe, expect, test } from "bun:test";
import { EmbeddingsError } from "./embeddings-endpoint.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import { createQueryVectors } from "./query-vectors.ts";

type Asked = {
  texts: readonly string[];
  answer(): void;
  fail(code: "refused" | "failed"): void;
  signal: AbortSignal;
};

function open() {
  const asked: Asked[] = [];
  const failures: EmbeddingsError[] = [];
  const state = { waitMs: 0 };
  const health: EndpointHealth = {
    waitMs: () => state.waitMs,
    recordSuccess() {},
    recordFailure: (failure) => failures.push(failure),
    lastFailure: () => null,
  };
  const queries = createQueryVectors({
    endpoint: {
      embed: (texts, { signal }) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          asked.push({
            texts,
            signal,
            answer: () => resolve(texts.map(() => Float32Array.of(1, 2))),
            fail: (code) => reject(new EmbeddingsError(code, "No.")),
          });
        }),
    },
    health,
    onDimensions() {},
  });
  return { queries, asked, failures, state };
}

const never = new Promise<void>(() => {});
const past = Promise.resolve();

test("A query's vector is asked for once, and then cached for the same user", async () => {
  const { queries, asked } = open();
  const [first, second] = [
    queries.find("ada", ["a", "b"], never),
    queries.find("ada", ["b"], never),
  ];
  expect(asked.map(({ texts }) => texts)).toEqual([["a", "b"]]);
  asked[0]?.answer();
  expect((await first).every((vector) => vector !== null)).toBeTrue();
  expect(await second).toEqual(await queries.find("ada", ["a"], never));
  expect(asked).toHaveLength(1);
});

test("A vector that is late is null, and there for the next search", async () => {
  const { queries, asked } = open();
  expect(await queries.find("ada", ["a"], past)).toEqual([null]);
  asked[0]?.answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await queries.find("ada", ["a"], past)).toEqual([Int8Array.of(64, 127)]);
});

test("Users do not share a cache, so that a user does not learn what others searched for", async () => {
  const { queries, asked } = open();
  const first = queries.find("ada", ["a"], never);
  asked[0]?.answer();
  await first;
  expect(await queries.find("eve", ["a"], past)).toEqual([null]);
});

test("A user with many open requests does not make others wait", async () => {
  const { queries, asked } = open();
  for (let at = 0; at < 20; at += 1) await queries.find("eve", [`text ${at}`], past);
  expect(asked).toHaveLength(4);
  await queries.find("ada", ["a"], past);
  expect(asked.at(-1)?.texts).toEqual(["a"]);
});

test("All users together have a limited number of open requests", async () => {
  const { queries, asked } = open();
  for (let user = 0; user < 40; user += 1) {
    for (const text of ["a", "b"]) await queries.find(`user ${user}`, [text], past);
  }
  expect(asked).toHaveLength(64);
});

describe("failures", () => {
  test("A failure is recorded, and the text is asked for again later", async () => {
    const { queries, asked, failures, state } = open();
    const first = queries.find("ada", ["a"], never);
    asked[0]?.fail("failed");
    expect(await first).toEqual([null]);
    expect(failures).toHaveLength(1);
    state.waitMs = 1_000;
    expect(await queries.find("ada", ["a"], never)).toEqual([null]);
    expect(asked).toHaveLength(1);
    state.waitMs = 0;
    await queries.find("ada", ["a"], past);
    expect(asked).toHaveLength(2);
  });

  test("A refused query is not a failure of the endpoint, so that no query stops those of others", async () => {
    const { queries, asked, failures } = open();
    const first = queries.find("ada", ["a"], never);
    asked[0]?.fail("refused");
    expect(await first).toEqual([null]);
    expect(failures).toEqual([]);
  });
});

test("Closing cancels open requests without a failure", async () => {
  const { queries, asked, failures } = open();
  const first = queries.find("ada", ["a"], never);
  await queries.close();
  expect(await first).toEqual([null]);
  expect([asked[0]?.signal.aborted, failures.length]).toEqual([true, 0]);
  expect(await queries.find("ada", ["b"], never)).toEqual([null]);
});
