/** The protocol with tools that it does not know. */
import { describe, expect, test } from "bun:test";
import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import { ada, ben, openTestMcp } from "./testing/open-test-mcp.ts";
import { post, postStateless, request } from "./testing/post-message.ts";
import { readJson } from "./testing/read-reply.ts";
import type { Tool, ToolSet } from "./tool-set.ts";

const clock: Tool = {
  name: "clock_read",
  title: "Read the clock",
  description: "Returns the time.",
  inputSchema: { type: "object", properties: { zone: { type: "string" } } },
  annotations: { readOnlyHint: true },
  accept(args) {
    if (args.zone === 5) throw new HubError("invalid_params", "The zone must be a text.");
    return async ({ caller }) => {
      const value = { zone: args.zone ?? null, reader: caller.userId };
      return { value, text: JSON.stringify(value), runId: crypto.randomUUID() };
    };
  },
};
const bell: Tool = { ...clock, name: "bell_ring", title: "Ring the bell" };

/** Every caller has the clock. Ada has the bell too, unless she uses the address of a profile. */
function makeToolSet(changes: Partial<ToolSet> = {}): ToolSet {
  const all = [clock, bell];
  const few = [clock];
  const list = ({ userId, scope }: Caller) =>
    userId === ada.userId && (scope ?? null) === null ? all : few;
  return {
    list,
    find: async (caller, name) => list(caller).find((tool) => tool.name === name) ?? null,
    instructions: ({ name }) => `Read the clock, ${name}.`,
    unknownToolAdvice: "Look at the wall.",
    cacheScope: "private",
    ...changes,
  };
}

async function listNames(caller: Caller, toolSet = makeToolSet()): Promise<unknown[]> {
  const { mcp } = openTestMcp({ toolSet });
  const { result } = await readJson(await post(mcp, request("tools/list"), { caller }));
  return result.tools.map(({ name }) => name);
}

describe("list", () => {
  test("Each caller gets the tools that the set lists for it", async () => {
    expect(await listNames(ada)).toEqual(["clock_read", "bell_ring"]);
    expect(await listNames(ben)).toEqual(["clock_read"]);
    expect(await listNames({ ...ada, scope: { profile: "small" } })).toEqual(["clock_read"]);
  });

  test("A tool is listed with what clients need to call it, and nothing else", async () => {
    const { mcp } = openTestMcp({ toolSet: makeToolSet() });
    const { result } = await readJson(await post(mcp, request("tools/list"), { caller: ben }));
    const { accept: _, ...listed } = clock;
    expect(result.tools).toEqual([listed]);
  });

  test("The same list is serialized once, and another one again", async () => {
    let reads = 0;
    const counted: Tool = {
      ...clock,
      get title() {
        reads += 1;
        return "Counted";
      },
    };
    let list = [counted];
    const { mcp } = openTestMcp({ toolSet: makeToolSet({ list: () => list }) });
    const ask = () => post(mcp, request("tools/list"));
    await ask();
    await ask();
    expect(reads).toBe(1);
    list = [counted, bell];
    expect((await readJson(await ask())).result.tools).toHaveLength(2);
  });

  test("A list that fails is a failure of the request", async () => {
    const list = () => Promise.reject(new HubError("rate_limited", "Wait."));
    const { mcp } = openTestMcp({ toolSet: makeToolSet({ list }) });
    const { error } = await readJson(await post(mcp, request("tools/list")));
    expect(error.message).toBe("Wait.");
  });
});

describe("find", () => {
  const call = (name: string, args: unknown = {}) =>
    request("tools/call", { name, arguments: args });

  test("A tool of the set runs in both protocol modes", async () => {
    const { mcp } = openTestMcp({ toolSet: makeToolSet() });
    const { params } = call("bell_ring", { zone: "UTC" });
    for (const response of [
      await post(mcp, call("bell_ring", { zone: "UTC" })),
      await postStateless(mcp, "tools/call", params),
    ]) {
      const { result } = await readJson(response);
      expect(result.structuredContent).toEqual({ zone: "UTC", reader: "ada" });
    }
  });

  test.each([
    ["another caller", ben],
    ["the same caller with a scope", { ...ada, scope: { profile: "small" } }],
  ])("A tool that %s does not have is unknown, and its name is not suggested", async (_, caller) => {
    const { mcp, rows } = openTestMcp({ toolSet: makeToolSet() });
    const { error } = await readJson(await post(mcp, call("bell_ring"), { caller }));
    expect<unknown>(error).toEqual({
      code: -32602,
      message: 'Unknown tool: "bell_ring". Look at the wall.',
    });
    expect(rows).toMatchObject([{ operationKey: "bell_ring", outcome: "unknown_tool" }]);
  });

  test("An unknown tool is answered with a similar one and the advice of the set", async () => {
    const { mcp } = openTestMcp({ toolSet: makeToolSet() });
    for (const name of ["clock_raed", "hub_execute"]) {
      const { error } = await readJson(await post(mcp, call(name)));
      const similar = name === "clock_raed" ? ' Did you mean "clock_read"?' : "";
      expect(error.message).toBe(`Unknown tool: "${name}".${similar} Look at the wall.`);
    }
  });

  test("Arguments that a tool refuses are recorded under its name", async () => {
    const { mcp, rows } = openTestMcp({ toolSet: makeToolSet() });
    const { result } = await readJson(await post(mcp, call("clock_read", { zone: 5 })));
    expect(JSON.parse(result.content[0].text).error).toBe("The zone must be a text.");
    expect(rows).toMatchObject([{ operationKey: "clock_read", outcome: "invalid_params" }]);
  });

  test("A set that fails is a failed call, which is recorded", async () => {
    const find = () => Promise.reject(new Error("disk"));
    const { mcp, rows } = openTestMcp({ toolSet: makeToolSet({ find }) });
    const { result } = await readJson(await post(mcp, call("clock_read")));
    expect(JSON.parse(result.content[0].text).code).toBe("internal");
    expect(rows).toMatchObject([{ operationKey: "clock_read", outcome: "internal" }]);
  });
});

test("The set says what models read about it, and who may get cached answers", async () => {
  const { mcp } = openTestMcp({ toolSet: makeToolSet() });
  const start = request("initialize", { protocolVersion: "2025-11-25" });
  expect((await readJson(await post(mcp, start))).result.instructions).toBe("Read the clock, ada.");
  for (const method of ["server/discover", "tools/list"]) {
    const { result } = await readJson(await postStateless(mcp, method));
    expect(result).toMatchObject({ cacheScope: "private", ttlMs: expect.any(Number) });
  }
});
