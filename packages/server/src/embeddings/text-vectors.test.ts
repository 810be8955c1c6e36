import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManualTimers } from "../lib/time/manual-timers.ts";
import type { Store } from "../store/store.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { type EmbeddingsEndpoint, EmbeddingsError } from "./embeddings-endpoint.ts";
import { createEndpointHealth } from "./endpoint-health.ts";
import { createTextVectors } from "./text-vectors.ts";
import type { WantedTexts } from "./wanted-vectors.ts";

let dataDir: string;
let store: Store;
const opened: Array<() => Promise<void>> = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-embeddings-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
  await store.close();
  await rm(dataDir, { recursive: true });
});

const wantTexts = (...texts: string[]): WantedTexts => ({
  hashes: new Set(texts),
  readText: (hash) => hash,
});

type Answer = (texts: readonly string[]) => number[][] | Promise<number[][]>;
const answerWell: Answer = (texts) => texts.map((text) => [text.length, 1]);

function open({ model = "small", holder = "one", timers = createManualTimers(1_000_000) } = {}) {
  const sent: string[][] = [];
  const errors: unknown[] = [];
  const state: { answer: Answer } = { answer: answerWell };
  const endpoint: EmbeddingsEndpoint = {
    async embed(texts) {
      sent.push([...texts]);
      return (await state.answer(texts)).map((vector) => Float32Array.from(vector));
    },
  };
  const log = {
    warn() {},
    info() {},
    error: (fields: object) => errors.push(fields),
  };
  const health = createEndpointHealth({ now: timers.now, log });
  const vectors = createTextVectors({
    db: store.db,
    endpoint,
    health,
    model,
    holder,
    timers,
    log,
    pause: async () => {},
    onProgress: async () => {},
  });
  opened.push(() => vectors.close());
  return { vectors, sent, state, timers, health, errors };
}

function refuseTexts(isRefused: (text: string) => boolean): Answer {
  return (texts) => {
    if (texts.some(isRefused)) throw new EmbeddingsError("refused", "No.");
    return answerWell(texts);
  };
}

/** Advances the clock until the work has no wait left. */
async function completeAll({ vectors, timers }: ReturnType<typeof open>): Promise<void> {
  await vectors.complete();
  while (timers.pending() > 0) {
    timers.advance(300_000);
    await vectors.complete();
  }
}

/** A stand-in that needs so long for each text, by the test's clock, and is not waited for beyond 60 s. */
function answerSlowly(hub: ReturnType<typeof open>, msOf: (text: string) => number): Answer {
  return (texts) => {
    const neededMs = texts.reduce((sum, text) => sum + msOf(text), 0);
    hub.timers.advance(Math.min(neededMs, 60_000));
    if (neededMs > 60_000) throw new EmbeddingsError("timed_out", "Too late.");
    return answerWell(texts);
  };
}

describe("an endpoint that is slow", () => {
  test("One that needs a second for each text gets fewer texts at once, and makes all vectors", async () => {
    const hub = open();
    hub.state.answer = answerSlowly(hub, () => 1_000);
    const texts = Array.from({ length: 150 }, (_, at) => `text ${at}`);
    hub.vectors.follow(wantTexts(...texts));
    await completeAll(hub);
    expect(hub.sent.map(({ length }) => length)).toEqual([64, 32, 32, 32, 32, 22]);
    expect(hub.vectors.progress()).toEqual({ texts: 150, vectors: 150 });
  });

  test("One that is quick again gets more texts at once", async () => {
    const hub = open();
    hub.state.answer = answerSlowly(hub, () => (hub.sent.length < 3 ? 3_000 : 1));
    const texts = Array.from({ length: 150 }, (_, at) => `text ${at}`);
    hub.vectors.follow(wantTexts(...texts));
    await completeAll(hub);
    expect(hub.sent.map(({ length }) => length)).toEqual([64, 32, 16, 32, 64, 38]);
    expect(hub.vectors.progress().vectors).toBe(150);
  });

  test("A text that takes too long alone is left out, and the others get their vectors", async () => {
    const hub = open();
    hub.state.answer = answerSlowly(hub, (text) => (text === "slow" ? 70_000 : 1));
    hub.vectors.follow(wantTexts("a", "b", "c", "slow", "d", "e"));
    await completeAll(hub);
    expect(hub.vectors.progress()).toEqual({ texts: 6, vectors: 5 });
  });
});

describe("what is sent", () => {
  test("Each text is sent once, in portions, and kept for the next process", async () => {
    const texts = Array.from({ length: 150 }, (_, at) => `text ${at}`);
    const first = open();
    const table = first.vectors.follow(wantTexts(...texts));
    await first.vectors.complete();
    expect(first.sent.map(({ length }) => length)).toEqual([64, 64, 22]);
    expect(first.vectors.progress()).toEqual({ texts: 150, vectors: 150 });
    expect([table.count(), table.has("text 7")]).toEqual([150, true]);
    const next = open();
    next.vectors.follow(wantTexts(...texts));
    await next.vectors.complete();
    expect([next.sent.length, next.vectors.progress().vectors]).toEqual([0, 150]);
  });

  test("A request for large vectors has fewer texts, so that its answer is parsed quickly", async () => {
    const { vectors, sent, state } = open();
    state.answer = (texts) => texts.map(() => Array(4_000).fill(1));
    vectors.follow(wantTexts(...Array.from({ length: 80 }, (_, at) => `text ${at}`)));
    await vectors.complete();
    expect(sent.map(({ length }) => length)).toEqual([64, 12, 4]);
  });

  test("After a change only new texts are sent", async () => {
    const { vectors, sent } = open();
    vectors.follow(wantTexts("a", "b"));
    await vectors.complete();
    vectors.follow(wantTexts("a", "c"));
    await vectors.complete();
    expect(sent).toEqual([["a", "b"], ["c"]]);
    expect(vectors.progress()).toEqual({ texts: 2, vectors: 2 });
  });

  test("A change during the work is followed, and texts that are gone are not sent", async () => {
    const hub = open();
    const texts = Array.from({ length: 100 }, (_, at) => `text ${at}`);
    hub.state.answer = (sent) => {
      if (hub.sent.length === 1) hub.vectors.follow(wantTexts("new"));
      return answerWell(sent);
    };
    hub.vectors.follow(wantTexts(...texts));
    await hub.vectors.complete();
    expect(hub.sent.map(({ length }) => length)).toEqual([64, 1]);
    expect(hub.vectors.progress()).toEqual({ texts: 1, vectors: 1 });
  });

  test("Vectors in use are recorded as used, at most once a day", async () => {
    const { vectors, timers } = open();
    const readUsedAt = async () => {
      const [found] = await runSql(store.db, "select used_at from embeddings");
      return Object(found).used_at;
    };
    vectors.follow(wantTexts("a"));
    await vectors.complete();
    const firstAt = timers.now();
    timers.advance(86_400_000);
    vectors.follow(wantTexts("a"));
    await vectors.complete();
    expect(await readUsedAt()).toBe(firstAt);
    timers.advance(86_400_000);
    vectors.follow(wantTexts("a"));
    await vectors.complete();
    expect(await readUsedAt()).toBe(timers.now());
  });

  test("Another model has vectors of its own", async () => {
    const first = open();
    first.vectors.follow(wantTexts("a"));
    await first.vectors.complete();
    const second = open({ model: "large" });
    second.vectors.follow(wantTexts("a"));
    await second.vectors.complete();
    expect(second.sent).toEqual([["a"]]);
  });

  test("Two processes on one database send each text once", async () => {
    const timers = createManualTimers(1_000_000);
    const hubs = [open({ holder: "one", timers }), open({ holder: "two", timers })];
    const texts = Array.from({ length: 200 }, (_, at) => `text ${at}`);
    for (const { vectors } of hubs) vectors.follow(wantTexts(...texts));
    for (const { vectors } of hubs) await vectors.complete();
    while (hubs.some(({ vectors }) => vectors.progress().vectors < 200)) {
      timers.advance(60_000);
      for (const { vectors } of hubs) await vectors.complete();
    }
    const sent = hubs.flatMap((hub) => hub.sent.flat());
    expect(sent.toSorted()).toEqual(texts.toSorted());
  });

  test("A process that waits for another goes on when that one is gone", async () => {
    const timers = createManualTimers(1_000_000);
    const stuck = open({ holder: "one", timers });
    stuck.state.answer = () => new Promise(() => {});
    stuck.vectors.follow(wantTexts("a"));
    while (stuck.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const other = open({ holder: "two", timers });
    other.vectors.follow(wantTexts("a"));
    await other.vectors.complete();
    expect(other.sent).toEqual([]);
    // Its process died, so that nothing releases its lease.
    timers.advance(90_000);
    await other.vectors.complete();
    expect(other.vectors.progress().vectors).toBe(1);
    opened.shift();
  });
});

describe("failures", () => {
  test("After a failure the work goes on by itself, later each time", async () => {
    const hub = open();
    let failures = 0;
    hub.state.answer = (texts) => {
      failures += 1;
      if (failures <= 3) throw new EmbeddingsError("failed", "Down.");
      return answerWell(texts);
    };
    hub.vectors.follow(wantTexts("a"));
    await hub.vectors.complete();
    expect([hub.sent.length, hub.vectors.progress().vectors]).toEqual([1, 0]);
    await completeAll(hub);
    expect([hub.sent.length, hub.vectors.progress().vectors]).toEqual([4, 1]);
    expect(hub.errors).toEqual([]);
  });

  test("The work waits as long as the endpoint asks for", async () => {
    const hub = open();
    hub.state.answer = () => {
      throw new EmbeddingsError("failed", "Busy.", { retryAfterMs: 60_000 });
    };
    hub.vectors.follow(wantTexts("a"));
    await hub.vectors.complete();
    hub.timers.advance(59_999);
    await hub.vectors.complete();
    expect(hub.sent).toHaveLength(1);
    hub.timers.advance(1);
    await hub.vectors.complete();
    expect(hub.sent).toHaveLength(2);
  });

  test("One text that the endpoint refuses does not stop the others", async () => {
    const hub = open();
    hub.state.answer = refuseTexts((text) => text === "text 37");
    hub.vectors.follow(wantTexts(...Array.from({ length: 64 }, (_, at) => `text ${at}`)));
    await completeAll(hub);
    expect(hub.vectors.progress()).toEqual({ texts: 64, vectors: 63 });
    expect(hub.sent.length).toBeLessThan(20);
  });

  test("An endpoint that refuses every text is asked seldom", async () => {
    const hub = open();
    hub.state.answer = refuseTexts(() => true);
    hub.vectors.follow(wantTexts(...Array.from({ length: 1_000 }, (_, at) => `text ${at}`)));
    await hub.vectors.complete();
    expect(hub.sent.length).toBeLessThan(20);
    expect(hub.health.waitMs()).toBeGreaterThan(0);
  });

  test("An endpoint that refuses the few texts of a new hub counts as failed", async () => {
    const hub = open();
    hub.state.answer = refuseTexts(() => true);
    hub.vectors.follow(wantTexts("a", "b", "c"));
    await hub.vectors.complete();
    expect(hub.health.lastFailure()?.message).toBe("No.");
    hub.state.answer = answerWell;
    await completeAll(hub);
    expect(hub.vectors.progress()).toEqual({ texts: 3, vectors: 3 });
  });

  test("A failure of the database is logged, and the work goes on", async () => {
    const hub = open();
    const closed = await openTestStore({ dataDir });
    await closed.close();
    const vectors = createTextVectors({
      db: closed.db,
      endpoint: { embed: async () => [] },
      health: hub.health,
      model: "small",
      holder: "one",
      timers: hub.timers,
      log: { error: (fields) => hub.errors.push(fields) },
      pause: async () => {},
      onProgress: async () => {},
    });
    vectors.follow(wantTexts("a"));
    await vectors.complete();
    expect(hub.errors.length).toBeGreaterThan(0);
    await vectors.close();
  });
});

describe("vectors of another size", () => {
  test("If the endpoint's vectors have another size now, all are made again", async () => {
    const first = open();
    first.vectors.follow(wantTexts("a", "b"));
    await first.vectors.complete();
    const next = open();
    next.state.answer = (texts) => texts.map(() => [1, 2, 3]);
    const table = next.vectors.follow(wantTexts("a", "b"));
    await next.vectors.complete();
    next.vectors.recordDimensions(3);
    await next.vectors.complete();
    expect(next.sent).toEqual([["a", "b"]]);
    expect([table.dimensions(), table.count()]).toEqual([3, 2]);
  });

  test("An endpoint that changes the size each time is asked seldom", async () => {
    const hub = open();
    hub.state.answer = (texts) =>
      texts.map(() => Array.from({ length: hub.sent.length + 1 }, () => 1));
    hub.vectors.follow(wantTexts(...Array.from({ length: 640 }, (_, at) => `text ${at}`)));
    await hub.vectors.complete();
    expect(hub.sent.length).toBeLessThan(5);
    expect(hub.health.lastFailure()?.message).toContain("instead of");
  });
});

test("Closing ends the work in progress, and nothing is sent afterwards", async () => {
  const hub = open();
  let release = () => {};
  hub.state.answer = (texts) =>
    new Promise((resolve) => {
      release = () => resolve(answerWell(texts) as number[][]);
    });
  hub.vectors.follow(wantTexts(...Array.from({ length: 200 }, (_, at) => `text ${at}`)));
  while (hub.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = hub.vectors.close();
  release();
  await closed;
  hub.vectors.follow(wantTexts("more"));
  expect(hub.sent).toHaveLength(1);
  expect(hub.timers.pending()).toBe(0);
});
