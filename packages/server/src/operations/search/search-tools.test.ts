import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const connector = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "bug",
  tier: "builtin",
  description: "Issues.",
  config: {},
  operations: {
    list_issues: {
      name: "List issues",
      description: "List the open issues of a project.\nNewest first, with their labels.",
      run: () => [],
    },
    close_issue: {
      name: "Close issue",
      description: "Close one issue for good.",
      input: { Number: wick.int("required;desc=The number after the #") },
      destructive: true,
      examples: [{ params: { number: 7 } }],
      run: () => ({}),
    },
    upload: { name: "Upload", description: "Attach a file to an issue.", run: () => ({}) },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
const ada = toTestCall(["red"]).caller;

beforeAll(async () => {
  hub = await openTestOperations(connector);
  await hub.addRow({ tags: ["red"], label: "Payments 100% board" });
  await hub.addRow({ tags: ["blue"], label: "Blue board" });
  await hub.addRow({ tags: ["everyone"], label: "Open board" });
  await hub.addRow({ tags: [], label: "Admins' board" });
});
afterAll(() => hub.close());

const namesFor = async (query: string) => {
  const { tools } = await hub.operations.catalogue.search(ada, { query, limit: 20 });
  return tools.map(({ label, name }) => `${label}: ${name}`);
};

describe("hub_list", () => {
  test("hub_list shows users the rows with a shared tag or the tag everyone, in a fixed order", async () => {
    const tools = await hub.operations.catalogue.list(ada);
    expect([...new Set(tools.map(({ label }) => label))]).toEqual([
      "Open board",
      "Payments 100% board",
    ]);
    expect(await hub.operations.catalogue.list(ada)).toEqual(tools);
  });

  test("hub_list shows admins every row, also rows without tags", async () => {
    const labels = (await hub.operations.catalogue.list({ ...ada, role: "admin" })).map(
      (t) => t.label,
    );
    expect(new Set(labels).size).toBe(4);
  });

  test("Each entry of hub_list has exactly the documented members and a one-line description", async () => {
    const tools = await hub.operations.catalogue.list(ada);
    for (const tool of tools) {
      expect(Object.keys(tool).sort()).toEqual(
        ["connector", "description", "destructive", "label", "name", "tool_id"].sort(),
      );
      expect(tool.description).not.toContain("\n");
    }
    expect(tools[0]?.tool_id).toMatch(/^conn:[0-9a-f-]{36}\/list_issues$/);
  });
});

describe("hub_search", () => {
  test("hub_search finds a part of a label, name or description, ignoring case", async () => {
    expect(await namesFor("PAYMENTS 100%")).toHaveLength(3);
    expect(await namesFor("newest FIRST")).toEqual([
      "Open board: List issues",
      "Payments 100% board: List issues",
    ]);
    expect(await namesFor("pload")).toEqual(["Open board: Upload", "Payments 100% board: Upload"]);
  });

  test("hub_search puts entries that contain the query before entries that match its words", async () => {
    const names = await namesFor("close issue");
    expect(names.slice(0, 2)).toEqual([
      "Open board: Close issue",
      "Payments 100% board: Close issue",
    ]);
    expect(names.length).toBeGreaterThan(2);
  });

  test("hub_search finds a word by its first three letters, not by two", async () => {
    expect((await namesFor("zzz clo")).join()).toContain("Close issue");
    expect(await namesFor("zzz cl")).toEqual([]);
  });

  test("hub_search finds nothing by common words alone", async () => {
    const found = await namesFor("close");
    expect(await namesFor("how do I close it, with what")).toEqual(found);
    expect(await namesFor("is it on the")).toEqual([]);
  });

  test("hub_search neither shows nor counts hidden rows", async () => {
    const { tools, total } = await hub.operations.catalogue.search(ada, { query: "blue" });
    expect([tools, total]).toEqual([[], 0]);
  });

  test("The best five results have a signature, so that the next call can execute", async () => {
    const { tools, note } = await hub.operations.catalogue.search(ada, { query: "issue" });
    expect(tools.length).toBeGreaterThan(5);
    expect(
      tools.map(({ signature, input_schema }) => [signature !== undefined, input_schema]),
    ).toEqual(tools.map((_, index) => [index < 5, undefined]));
    expect(tools.find(({ name }) => name === "Close issue")?.signature).toBe("(number: integer)");
    // Nothing is quoted.
    expect(note).toBeUndefined();
  });

  test("An entry has only the members that say something", async () => {
    const { tools } = await hub.operations.catalogue.search(ada, { query: "issue" });
    const find = (name: string) => tools.find((tool) => tool.name === name && tool.signature);
    expect(find("List issues")).toEqual({
      tool_id: expect.stringMatching(/^conn:[0-9a-f-]{36}\/list_issues$/),
      connector: "Tracker",
      label: "Open board",
      name: "List issues",
      description: "List the open issues of a project.",
      signature: "()",
    });
    expect(find("Close issue")).toEqual({
      tool_id: expect.stringMatching(/^conn:[0-9a-f-]{36}\/close_issue$/),
      connector: "Tracker",
      label: "Open board",
      name: "Close issue",
      description: "Close one issue for good. Destructive: confirm first.",
      destructive: true,
      signature: "(number: integer)",
    });
  });

  test("The connector is left out where it is the label", async () => {
    await hub.addRow({ tags: ["red"], label: "Tracker" });
    const { tools } = await hub.operations.catalogue.search(ada, { query: "tracker", limit: 100 });
    const connectors = new Map(tools.map(({ label, connector }) => [label, connector]));
    expect([connectors.get("Tracker"), connectors.get("Open board")]).toEqual([
      undefined,
      "Tracker",
    ]);
  });

  test("With schemas, the best five results have their input schemas and no signature", async () => {
    const { tools } = await hub.operations.catalogue.search(ada, {
      query: "close issue",
      hasSchemas: true,
    });
    expect(tools[0]?.input_schema).toMatchObject({ type: "object", required: ["number"] });
    expect(tools.map(({ input_schema }) => input_schema !== undefined)).toEqual(
      tools.map((_, index) => index < 5),
    );
    expect(tools.filter(({ signature }) => signature !== undefined)).toEqual([]);
  });

  test("hub_search reads a long query up to a limit, so that a client cannot choose the cost", async () => {
    const { tools } = await hub.operations.catalogue.search(ada, {
      query: `close ${"reason".repeat(20_000)}`,
    });
    expect(tools[0]).toMatchObject({ name: "Close issue" });
    const nothing = await hub.operations.catalogue.search(ada, { query: "reason".repeat(20_000) });
    expect(nothing).toMatchObject({ tools: [], total: 0, words: {} });
  });

  describe("a search with sixty matches", () => {
    let many: Awaited<ReturnType<typeof openTestOperations>>;
    beforeAll(async () => {
      many = await openTestOperations(connector);
      for (let row = 0; row < 20; row += 1) {
        await many.addRow({ tags: ["red"], label: `Row ${row}` });
      }
    });
    afterAll(() => many.close());

    test("The first page has the best ten matches and the total count", async () => {
      const { tools, total } = await many.operations.catalogue.search(ada, { query: "issue" });
      expect([tools.length, total]).toEqual([10, 60]);
    });

    test("The pages together have each match exactly once, in the order of one long page", async () => {
      const search = (limit: number, offset: number) =>
        many.operations.catalogue.search(ada, { query: "issue", limit, offset });
      const whole = await search(100, 0);
      const pages = await Promise.all([search(25, 0), search(25, 25), search(25, 50)]);
      expect(pages.flatMap(({ tools }) => tools)).toEqual(whole.tools);
      expect(pages.map(({ total }) => total)).toEqual([60, 60, 60]);
    });

    test("The best five results of all have a signature, not the first five of each page", async () => {
      const { tools } = await many.operations.catalogue.search(ada, {
        query: "issue",
        limit: 10,
        offset: 3,
      });
      expect(tools.map((tool) => tool.signature !== undefined)).toEqual([
        true,
        true,
        ...Array.from({ length: 8 }, () => false),
      ]);
    });

    test("A page beyond the last match is empty", async () => {
      const found = await many.operations.catalogue.search(ada, { query: "issue", offset: 60 });
      expect(found).toMatchObject({ tools: [], total: 60 });
    });
  });

  test("The next search finds a new row", async () => {
    expect(await namesFor("zebra")).toEqual([]);
    await hub.addRow({ tags: ["red"], label: "Zebra" });
    expect(await namesFor("zebra")).toHaveLength(3);
  });
});

describe("hub_get", () => {
  test("A destructive tool has a schema, examples and a warning to confirm first", async () => {
    const { tools } = await hub.operations.catalogue.search(ada, { query: "close" });
    const detail = await hub.operations.catalogue.get(ada, tools[0]?.tool_id ?? "");
    expect(detail).toMatchObject({
      destructive: true,
      examples: [{ params: { number: 7 } }],
      input_schema: { type: "object", required: ["number"] },
    });
    expect(detail.description).toMatch(/Confirm with the user before you call it\.$/);
  });
});
