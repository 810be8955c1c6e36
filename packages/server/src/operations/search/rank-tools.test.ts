import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { updateRow } from "../../store/rows/rows-table.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const long = `Sends a message to a channel. ${"It explains much more than a list needs. ".repeat(10)}`;

const chat = defineConnector({
  key: "chat",
  name: "ChatWorks",
  icon: "chat",
  tier: "builtin",
  description: "Messages.",
  config: {},
  operations: {
    send_message: {
      name: "Send a message",
      description: long,
      input: { ChannelID: wick("required"), ThreadTimestamp: wick("") },
      run: () => ({}),
    },
    post_message: {
      name: "Post",
      description: "Deprecated: use Send a message. Sends a message to a channel.",
      run: () => ({}),
    },
    purge_channel: {
      name: "Purge a channel",
      description: `Deletes every message. ${"Nothing brings them back. ".repeat(20)}`,
      destructive: true,
      run: () => ({}),
    },
  },
});

const billing = defineConnector({
  key: "billing",
  name: "Billing",
  icon: "coin",
  tier: "builtin",
  description: "Invoices.",
  config: {},
  operations: {
    list_invoices: { name: "List invoices", description: "Invoices.", run: () => [] },
    refund: { name: "Refund a payment", description: "Pays money back.", run: () => ({}) },
    reverse: { name: "Reverse a transfer", description: "Takes it back.", run: () => ({}) },
  },
});

const inputText = `Weight of the hippopotamus or okapi. ${"In kilograms. ".repeat(20)} Unseen.`;

const forms = defineConnector({
  key: "forms",
  name: "Forms",
  icon: "list",
  tier: "builtin",
  description: "Forms.",
  config: {},
  operations: {
    fill_many: {
      name: "Fill many",
      description: "Fills fields.",
      input: Object.fromEntries(
        ["giraffe", ...Array.from({ length: 60 }, (_, at) => `field_${at}`)].map((key) => [
          key,
          wick(key === "giraffe" ? `desc=${inputText}` : key === "field_59" ? "desc=Toolate" : ""),
        ]),
      ),
      run: () => ({}),
    },
    describe: {
      name: "Describe",
      description: `Describes a giraffe, not an okapi. ${"It has many more words than a description needs. ".repeat(8)}`,
      run: () => ({}),
    },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
const ada = toTestCall(["red"]).caller;
const find = (query: string, limit?: number) =>
  hub.operations.catalogue.search(ada, { query, limit });
const namesFor = async (query: string) => (await find(query)).tools.map(({ name }) => name);

beforeAll(async () => {
  hub = await openTestOperations(chat, { others: [billing, forms] });
  await hub.addRow({ tags: ["red"], label: "Team chat", description: "The support team." });
  await hub.addRow({ tags: ["red"], label: "Ledger", connectorKey: "billing" });
  await hub.addRow({ tags: ["red"], label: "Paper", connectorKey: "forms" });
  await hub.addRow({ tags: ["blue"], label: "Quokka" });
});
afterAll(() => hub.close());

test("Alternatives are searched separately, and their results are taken round-robin", async () => {
  const names = await namesFor("refund | reverse transfer | invoices");
  expect(names.slice(0, 3)).toEqual(["Refund a payment", "Reverse a transfer", "List invoices"]);
  const { total } = await find("refund payment | refund | reverse");
  expect(total).toBe((await find("refund reverse payment")).total);
});

test("A word of an input's description finds its operation, and counts less than one of the operation's own", async () => {
  expect(await namesFor("hippopotamus")).toEqual(["Fill many"]);
  expect(await namesFor("okapi")).toEqual(["Describe", "Fill many"]);
});

test("Of many or long descriptions of inputs only so much is indexed", async () => {
  expect(await namesFor("unseen")).toEqual([]);
  expect(await namesFor("toolate")).toEqual([]);
});

test("A bar without spaces belongs to the text that is searched", async () => {
  expect(await namesFor("refund|zzz")).toEqual(["Refund a payment"]);
});

test("The answer says how many operations each word matches, also words that match none", async () => {
  const { words } = await find("refund the zzyzx | channel");
  expect(words).toEqual({ refund: 1, zzyzx: 0, channel: 3 });
});

test("The words of an answer contain no part of a token of the hub, because a part alone would not be removed", async () => {
  const digits = "0123456789abcdef".repeat(2);
  const { words } = await find(`refund hub_pat_${digits} hub_oat_${digits.slice(0, 20)}`);
  expect(words).toEqual({ refund: 1 });
});

test("Hidden rows do not make a word known: its typing errors are corrected as without them (traps 9 and 11)", async () => {
  const { tools, words } = await find("quokka");
  expect([tools, words]).toEqual([[], { quokka: 0 }]);
  expect((await find("qukka")).total).toBe(0);
});

test("A typing error finds the word, if no operation has the word as it was written", async () => {
  expect(await namesFor("invocies")).toEqual(["List invoices"]);
  expect((await namesFor("chanel"))[0]).toBe("Purge a channel");
});

test("An operation is found by the names of its inputs", async () => {
  expect((await namesFor("thread timestamp"))[0]).toBe("Send a message");
});

test("An operation is found by the parts of a name in camel case", async () => {
  expect(await namesFor("works")).toContain("Purge a channel");
});

test("A word of a long description counts more than one of many inputs", async () => {
  expect(await namesFor("giraffes")).toEqual(["Describe", "Fill many"]);
});

test("An operation that calls itself deprecated comes after one that matches as well", async () => {
  const names = await namesFor("message channel");
  expect(names).toHaveLength(3);
  expect(names.indexOf("Post")).toBeGreaterThan(names.indexOf("Send a message"));
});

test("An operation that calls itself deprecated comes first for its exact name, and before much worse ones", async () => {
  expect((await namesFor("post"))[0]).toBe("Post");
  expect((await namesFor("post_message"))[0]).toBe("Post");
});

test("An operation that matches more words of a query comes before one that matches a rarer word", async () => {
  expect((await namesFor("purge a message in the support channel"))[0]).toBe("Purge a channel");
});

test("A weak search suggests visible words and labels, and a good one nothing", async () => {
  const { related } = await find("refundable qq1 qq2 qq3");
  expect(related).toContain("refund");
  expect(related).toContain("Ledger");
  expect(related).not.toContain("Quokka");
  expect((await find("refund payment")).related).toBeUndefined();
});

test("A description is the first sentence, cut at a word, and the warning of a destructive operation stays", async () => {
  const { tools } = await find("channel");
  const describe = (name: string) => tools.find((tool) => tool.name === name)?.description;
  expect(describe("Send a message")).toBe("Sends a message to a channel.");
  expect(describe("Post")).toBe("Deprecated: use Send a message.");
  expect(describe("Purge a channel")).toBe("Deletes every message. Destructive: confirm first.");
  const long = (await find("fill many")).tools.find(({ name }) => name === "Fill many");
  expect(long?.description.length).toBeLessThanOrEqual(120);
});

test("A row's description is given once for all its operations", async () => {
  const { rows } = await find("message");
  expect(rows).toEqual([{ label: "Team chat", description: "The support team." }]);
});

test("Only the rows of the first ten results on a page are described", async () => {
  for (let at = 0; at < 12; at += 1) {
    await hub.addRow({ tags: ["red"], label: `Walrus ${at}`, description: `Herd ${at}` });
  }
  const { tools, rows } = await hub.operations.catalogue.search(ada, {
    query: "walrus",
    limit: 100,
  });
  const labels = tools.map(({ label }) => label);
  const first = [...new Set(labels.slice(0, 10))];
  expect(rows?.map(({ label }) => label)).toEqual(first);
  expect(new Set(labels).size).toBe(12);
});

test("A renamed row is found by its new label only", async () => {
  const id = await hub.addRow({ tags: ["red"], label: "Oldname" });
  expect((await find("oldname")).total).toBe(3);
  await updateRow(hub.store.db, id, { label: "Newname" }, Date.now());
  expect((await find("oldname")).words).toEqual({ oldname: 0 });
  expect((await find("newname")).total).toBe(3);
});

test("A query of many words and alternatives is searched up to a limit, so that a client cannot choose the cost", async () => {
  const many = Array.from({ length: 300 }, (_, at) => `w${at}`);
  const { words } = await find(many.join(" "));
  expect(Object.keys(words).length).toBeLessThanOrEqual(32);
  const alternatives = await find(many.join(" | "));
  expect(Object.keys(alternatives.words).length).toBeLessThanOrEqual(8);
});

test("Hidden rows do not change the order of results: words weigh what they weigh without them (trap 11)", async () => {
  await hub.addRow({ tags: ["red"], label: "Alpaca" });
  await hub.addRow({ tags: ["red"], label: "Bison" });
  const order = async () => (await find("alpaca bison")).tools.map(({ label }) => label);
  const before = await order();
  expect(before.slice(0, 4)).toEqual(["Alpaca", "Alpaca", "Bison", "Bison"]);
  for (let at = 0; at < 30; at += 1) await hub.addRow({ tags: ["blue"], label: `Alpaca ${at}` });
  expect(await order()).toEqual(before);
});

describe("plain wordings beside the names of a large system", () => {
  const tracker = defineConnector({
    key: "tracker",
    name: "Tracker",
    icon: "bug",
    tier: "builtin",
    description: "Issues.",
    config: {},
    operations: {
      create_issue_comment: {
        name: "Create an issue comment",
        description:
          "Create issue comments. Every one who can read the issue can create issue comments.",
        run: () => ({}),
      },
      list_hooks: {
        name: "List webhooks",
        description: "Events that create issue entries, and those that get issue updates.",
        run: () => [],
      },
      create_issue: { name: "Create an issue", description: "Opens one.", run: () => ({}) },
      get_issue: { name: "Get an issue", description: "Reads one.", run: () => ({}) },
      get_parent_issue: { name: "Get parent issue", description: "Reads.", run: () => ({}) },
      list_repository_issues: { name: "List issues", description: "All.", run: () => [] },
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `archive_${at}`,
          { name: `Archive ${at}`, description: "Moves entries away in order.", run: () => ({}) },
        ]),
      ),
      sort_entries: {
        name: "Sort entries",
        description: "Sorts in ascending order or descending order; the order is kept in order.",
        run: () => ({}),
      },
    },
  });
  const orders = defineConnector({
    key: "api",
    name: "HTTP",
    icon: "world",
    tier: "builtin",
    description: "Calls an API.",
    config: {},
    operations: {
      get: { name: "GET", description: "Reads from this API.", run: () => ({}) },
      post: { name: "POST", description: "Runs something in this API.", run: () => ({}) },
    },
  });

  let large: Awaited<ReturnType<typeof openTestOperations>>;
  beforeAll(async () => {
    large = await openTestOperations(tracker, { others: [orders] });
    await large.addRow({ tags: ["red"], label: "Board" });
    await large.addRow({ tags: ["red"], label: "Orders API", connectorKey: "api" });
  });
  afterAll(() => large.close());
  const search = (query: string) => large.operations.catalogue.search(ada, { query });
  const list = async (query: string) => (await search(query)).tools.map(({ name }) => name);

  test.each([
    ["create issue", "Create an issue"],
    ["get issue", "Get an issue"],
    ["Get the issue", "Get an issue"],
    ["createIssue", "Create an issue"],
    ["list_repository_issues", "List issues"],
  ])('"%s" finds "%s" first, before longer texts that contain it', async (query, name) => {
    expect((await list(query))[0]).toBe(name);
  });

  test("Every entry that contains the query is still in the list (the specification's substring match)", async () => {
    expect((await list("create issue")).sort()).toEqual(
      expect.arrayContaining(["Create an issue comment", "List webhooks"]),
    );
    expect(await list("ebhook")).toEqual(["List webhooks"]);
    expect((await search("oard")).total).toBe(47);
  });

  test("An operation whose name says the query's words and little else comes before one that says more", async () => {
    const names = await list("please create an issue for me now");
    expect(names.indexOf("Create an issue")).toBeLessThan(names.indexOf("Create an issue comment"));
  });

  test.each([
    "commenting",
    "comments",
    "commented",
  ])('A form of a word finds it: "%s"', async (word) => {
    expect((await list(word))[0]).toBe("Create an issue comment");
  });

  test("A word in the label of a small row weighs more than in many operations of a large one", async () => {
    const { tools } = await search("refund an order");
    expect(tools.slice(0, 2).map(({ label }) => label)).toEqual(["Orders API", "Orders API"]);
  });

  test("The counts are of whole words, not of their beginnings, and a word without a match has related words", async () => {
    const found = await search("create iss");
    expect(found.words).toEqual({ create: 3, iss: 0 });
    expect(found.tools.map(({ name }) => name)).toContain("Get an issue");
    expect(found.related).toEqual(["issue"]);
    expect((await search("create issue")).related).toBeUndefined();
  });

  test("Hidden rows and their names change neither the order nor the counts (trap 11)", async () => {
    const ask = async () => {
      const { tools, words, related, total } = await search("refund an order");
      return { order: tools.map(({ tool_id }) => tool_id), words, related, total };
    };
    const before = await ask();
    for (let at = 0; at < 20; at += 1) {
      await large.addRow({ tags: ["blue"], label: `Refund an order ${at}`, connectorKey: "api" });
    }
    expect(await ask()).toEqual(before);
  });
});
