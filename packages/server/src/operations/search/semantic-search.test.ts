import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { openTestEmbeddings } from "../../embeddings/testing/open-test-embeddings.ts";
import {
  serveEmbeddings,
  type TestEmbeddings,
  toEmbeddingsAnswer,
  toTestVector,
} from "../../embeddings/testing/serve-embeddings.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";

const tracker = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "bug",
  tier: "builtin",
  description: "Issues.",
  config: { Token: wick("secret"), Note: wick("") },
  operations: {
    close_issue: {
      name: "Close issue",
      description: "Close one issue.",
      input: { HiddenInput: wick("") },
      run: () => ({}),
    },
    list_issues: { name: "List issues", description: "All of them.", run: () => [] },
    send: { name: "Send message", description: "To a person.", run: () => ({}) },
    pay: { name: "Pay invoice", description: "Pays it.", run: () => ({}) },
  },
});

const ada = toTestCall(["red"]).caller;
const eve = { ...toTestCall(["blue"]).caller, userId: "22222222-2222-4222-8222-222222222222" };

let server: TestEmbeddings;
let embeddings: ReturnType<typeof openTestEmbeddings>;
let hub: Awaited<ReturnType<typeof openTestOperations>>;
const timers = createManualTimers();

beforeEach(async () => {
  server = serveEmbeddings();
  hub = await openTestOperations(tracker, {
    openEmbeddings(store) {
      embeddings = openTestEmbeddings(store, { url: server.url, timers });
      return embeddings;
    },
  });
  await hub.addRow({ tags: ["red"], label: "Board" });
});
afterEach(async () => {
  await embeddings.close();
  await hub.close();
  await server.stop();
});

const search = (query: string, caller = ada) => hub.operations.catalogue.search(caller, { query });
const namesFor = async (query: string, caller = ada) =>
  (await search(query, caller)).tools.map(({ name }) => name);

/** Makes all vectors, and forgets what was sent for them. */
async function loadVectors(): Promise<void> {
  await hub.operations.catalogue.prepareSearch();
  await embeddings.texts.complete();
  server.requests.length = 0;
}

describe("the order of results", () => {
  test("Without vectors operations are found by words alone, and then by meaning too", async () => {
    expect(await namesFor("resolve flaw")).toEqual([]);
    await loadVectors();
    expect((await namesFor("resolve flaw")).slice(0, 2)).toEqual(["Close issue", "List issues"]);
  });

  test("An operation that contains the whole query still comes first", async () => {
    await loadVectors();
    server.answerWith((input) => toEmbeddingsAnswer(input.map(() => toTestVector("close bug"))));
    expect((await namesFor("pays it"))[0]).toBe("Pay invoice");
  });

  test("The words of an answer and related keep their meaning: they count matches of words", async () => {
    await loadVectors();
    const { words, related } = await search("resolve flaw");
    expect(words).toEqual({ resolve: 0, flaw: 0 });
    expect(related).toContain("Board");
  });

  test("If operations match few words of a query, meaning counts more than words", async () => {
    expect(await namesFor("conversation chat pays")).toEqual(["Pay invoice"]);
    await loadVectors();
    const names = await namesFor("conversation chat pays");
    expect(names.slice(0, 2)).toEqual(["Send message", "Pay invoice"]);
  });

  test("An operation without the query's words is not added if its meaning is not similar", async () => {
    await loadVectors();
    expect(await namesFor("close issue")).toEqual(["Close issue", "List issues"]);
  });

  test("Each alternative is compared by itself, and results are taken round-robin", async () => {
    await loadVectors();
    const names = await namesFor("chat | bill");
    expect(names.slice(0, 2)).toEqual(["Send message", "Pay invoice"]);
    expect(server.received()).toEqual(["chat", "bill"]);
  });

  test("The same search has the same order, and pages fit together", async () => {
    await loadVectors();
    const whole = await search("resolve flaw");
    expect(await search("resolve flaw")).toEqual(whole);
    const pages = await Promise.all(
      [0, 1, 2, 3].map((offset) =>
        hub.operations.catalogue.search(ada, { query: "resolve flaw", limit: 1, offset }),
      ),
    );
    expect(pages.flatMap(({ tools }) => tools.map(({ name }) => name))).toEqual(
      whole.tools.map(({ name }) => name),
    );
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([whole.total]));
  });

  test("Hidden rows change neither results nor their order (trap 11)", async () => {
    await loadVectors();
    const before = await search("resolve flaw");
    for (let at = 0; at < 30; at += 1) {
      await hub.addRow({ tags: ["blue"], label: `Resolve flaw ${at}`, description: "bug" });
    }
    await loadVectors();
    expect(await search("resolve flaw")).toEqual(before);
    expect((await search("resolve flaw", eve)).tools[0]?.label).toStartWith("Resolve flaw");
  });
});

describe("a query's vector that is not there in time", () => {
  test("The search answers by words after 150 ms, and the next one by meaning", async () => {
    await loadVectors();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.answerWith(async (input) => {
      await held;
      return toEmbeddingsAnswer(input.map(toTestVector));
    });
    const first = namesFor("resolve flaw");
    while (server.requests.length === 0) await nextTurn();
    timers.advance(149);
    expect(await Promise.race([first, nextTurn().then(() => "waits")])).toBe("waits");
    timers.advance(1);
    expect(await first).toEqual([]);
    release();
    server.answerWith(null);
    let names: string[] = [];
    while (names.length === 0) names = await namesFor("resolve flaw");
    expect(names[0]).toBe("Close issue");
    expect(server.received()).toEqual(["resolve flaw"]);
  });

  test.each<[string, () => Response]>([
    ["an error", () => new Response("", { status: 500 })],
    ["a refusal", () => new Response("", { status: 400 })],
    ["no vector", () => toEmbeddingsAnswer([])],
    ["a vector without a direction", () => toEmbeddingsAnswer([[0, 0, 0, 0, 0, 0]])],
    ["a vector of another size", () => toEmbeddingsAnswer([[1, 2]])],
  ])("With %s the search answers by words", async (_, answer) => {
    await loadVectors();
    server.answerWith(answer);
    expect(await namesFor("resolve flaw")).toEqual([]);
    expect(await namesFor("close")).toEqual(["Close issue"]);
  });

  test("An endpoint that is gone leaves searches by words", async () => {
    await loadVectors();
    await server.stop();
    expect(await namesFor("close")).toEqual(["Close issue"]);
  });
});

describe("what leaves the hub (protects: nothing secret leaves with a query)", () => {
  const secret = "correct-horse-battery";

  test("Texts of all rows leave, also hidden ones, but no configuration and no inputs", async () => {
    await hub.addRow({
      tags: ["vault"],
      label: "Vault",
      description: "About it",
      values: { note: "a configured note" },
      secrets: { token: secret },
    });
    await hub.operations.catalogue.prepareSearch();
    await embeddings.texts.complete();
    expect(server.received().toSorted()).toEqual([
      "Board\n",
      "Tracker: Close issue\nClose one issue.",
      "Tracker: List issues\nAll of them.",
      "Tracker: Pay invoice\nPays it.",
      "Tracker: Send message\nTo a person.",
      "Vault\nAbout it",
    ]);
  });

  test("A token of the hub in a description does not leave", async () => {
    await hub.addRow({ label: "Vault", description: `hub_pat_${"0123456789abcdef".repeat(2)}` });
    await hub.operations.catalogue.prepareSearch();
    await embeddings.texts.complete();
    expect(server.received().join()).not.toContain("0123456789abcdef");
  });

  test("A secret of a row in its own description does not leave", async () => {
    const description = `Sign in with ${secret}.`;
    await hub.addRow({ label: "Careless", description, secrets: { token: secret } });
    await hub.operations.catalogue.prepareSearch();
    await embeddings.texts.complete();
    expect(server.received()).toContain("Careless\nSign in with  .");
  });

  const owner = { userId: testUserId, rowId: null };
  test.each<[string, () => string]>([
    ["a token of the hub", () => `hub_pat_${"0123456789abcdef".repeat(2)}`],
    ["an OAuth token of the hub", () => `hub_oat_${"0123456789abcdef".repeat(2)}`],
    ["a value token", () => sealValue(hub.ring.current(), owner, "a value")],
    ["a part of a value token", () => sealValue(hub.ring.current(), owner, "value").slice(0, 40)],
    ["a row's secret", () => secret],
    ["a row's secret in another case", () => secret.toUpperCase()],
    ["a row's secret in base64", () => Buffer.from(secret).toString("base64")],
    ["a row's secret in hex", () => Buffer.from(secret).toString("hex")],
    ["a row's secret in percent encoding", () => secret.replaceAll("-", "%2D")],
    ["a secret of a disabled row", () => "disabled-row-secret"],
    ["a short secret", () => "x7q"],
  ])("%s in a query does not leave, and the other words do", async (_, make) => {
    await hub.addRow({ tags: ["red"], label: "Own", secrets: { token: secret } });
    await hub.addRow({ tags: ["red"], label: "Short", secrets: { token: "x7q" } });
    await hub.addRow({
      tags: ["red"],
      label: "Disabled",
      disabled: true,
      secrets: { token: "disabled-row-secret" },
    });
    await loadVectors();
    const sent = make();
    await search(`resolve ${sent} flaw | ${sent}`);
    const received = server.received();
    expect(received).toHaveLength(1);
    expect(received[0]?.replaceAll(/\s+/g, " ")).toBe("resolve flaw");
  });

  test("A secret across the bar of two alternatives does not leave", async () => {
    await hub.addRow({ tags: ["red"], label: "Own", secrets: { token: "left | right" } });
    await loadVectors();
    await search("resolve left | right flaw | chat");
    // It is unclear which alternative the rest belongs to.
    expect(server.requests).toEqual([]);
  });

  test("A query beyond the limit does not leave, because a cut could split a secret", async () => {
    await loadVectors();
    await search(`close ${"reason ".repeat(200)}`);
    expect(server.requests).toEqual([]);
  });

  test("Secrets of hidden rows are no different from other words, so that users cannot guess them", async () => {
    await hub.addRow({ tags: ["blue"], label: "Hidden", secrets: { token: secret } });
    await loadVectors();
    await search(`resolve ${secret}`);
    expect(server.received()).toEqual([`resolve ${secret}`]);
  });

  test("A query without any words does not leave", async () => {
    await loadVectors();
    await search("  ");
    await search(" | ");
    expect(server.requests).toEqual([]);
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
