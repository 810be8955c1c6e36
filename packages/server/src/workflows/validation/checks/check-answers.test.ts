import { describe, expect, test } from "bun:test";
import { validateBody } from "../validate-body.ts";

const set = (id: string, more: object = {}) => ({ id, type: "set", value: 1, ...more });
const say = (id = "say", more: object = {}) => ({ id, type: "webhook_respond", ...more });
const nap = (id: string, seconds: unknown) => ({ id, type: "wait", seconds });
const branch = {
  id: "b",
  type: "branch",
  conditions: [{ left: "{{.Event.Payload.body}}", op: "is_true" }],
};
const ask = { id: "ask", type: "approval", title: "?", approvers: { tags: ["ops"] } };

/** The problems of a body whose webhook leads to its first node, with edges as `a>b` or `a>b:case`. */
async function find(nodes: { id: string }[], edges: string[], mode = "respond_node") {
  const body = {
    triggers: [{ id: "hook", type: "webhook", entry: nodes[0]?.id, respond_mode: mode }],
    nodes,
    edges: edges.map((text) => {
      const [, from, to, name] = /^(\w+)>(\w+)(?::(\w+))?$/.exec(text) ?? [];
      return { from, to, ...(name !== undefined && { case: name }) };
    }),
  };
  const { problems } = await validateBody(body, { purpose: "publish" });
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

describe("an answer that is not sent", () => {
  const unsent =
    '/nodes/1: The answer of "say" is not sent: no trigger that leads to it has respond_mode: respond_node.';

  test.each(["immediately", "last_node"])("is a warning with respond_mode %s", async (mode) => {
    expect(await find([set("a"), say()], ["a>say"], mode)).toEqual([unsent]);
    expect(await find([set("a"), say("say", { disabled: true })], ["a>say"], mode)).toEqual([]);
  });

  test("is no problem if one trigger that leads to it waits, or it is not for requests", async () => {
    const nodes = [set("a"), say()];
    const edges = [{ from: "a", to: "say" }];
    const hook = (id: string, respond_mode: string) => {
      return { id, type: "webhook", path: id, entry: "a", respond_mode };
    };
    const findFor = async (triggers: object[]) =>
      (await validateBody({ triggers, nodes, edges }, { purpose: "publish" })).problems;
    expect(await findFor([hook("one", "immediately"), hook("two", "respond_node")])).toEqual([]);
    expect(await findFor([{ id: "start", type: "manual", entry: "a" }])).toEqual([]);
  });
});

describe("a run that ends without an answer", () => {
  const open = (rest: string) =>
    `/triggers/0/respond_mode: A run can end without an answer after ${rest}.`;

  test.each([
    ["a case that leads nowhere", [branch, say()], ["b>say:true"], '"b" along the case "false"'],
    ["a case that leads past it", [branch, say(), set("c")], ["b>say:true", "b>c:false"], '"c"'],
    [
      "the way of an error",
      [set("a", { on_error: "route" }), say(), set("c")],
      ["a>say", "a>c:error"],
      '"c"',
    ],
    [
      "an approval that is denied",
      [say("early", { disabled: true }), ask, say(), set("no")],
      ["early>ask", "ask>say:approved", "ask>no:denied", "ask>say:expired"],
      '"no"',
    ],
  ])("is a warning: %s", async (_, nodes, edges, rest) => {
    expect(await find(nodes, edges)).toContain(open(rest));
  });

  test.each([
    ["a branch beside", [set("a"), say(), set("b")], ["a>say", "a>b"]],
    ["both cases", [branch, say(), say("no")], ["b>say:true", "b>no:false"]],
    ["before the branch", [say(), branch, set("c")], ["say>b", "b>c:true"]],
    [
      "a failure, which is answered",
      [branch, say(), { id: "no", type: "fail", message: "no" }],
      ["b>say:true", "b>no:false"],
    ],
    [
      "the error of a node that is switched off",
      [set("a", { on_error: "route", disabled: true }), say(), set("c")],
      ["a>say", "a>c:error"],
    ],
  ])("is no problem: %s", async (_, nodes, edges) => {
    expect(await find(nodes, edges)).toEqual([]);
  });

  test("A respond node that is switched off answers nothing", async () => {
    const nodes = [set("a"), say("say", { disabled: true })];
    expect(await find(nodes, ["a>say"])).toEqual([
      '/triggers/0/respond_mode: No webhook_respond node can be reached from "a".',
    ]);
  });
});

describe("an answer that comes too late", () => {
  const late = (of: string, by: string) =>
    expect.stringContaining(`"${of}" answers after the wait of "${by}"`);

  test.each([
    ["an approval", [ask, say()], ["ask>say:approved", "ask>say:denied", "ask>say:expired"], "ask"],
    ["a wait of 30 seconds", [nap("nap", 30), say()], ["nap>say"], "nap"],
    ["two waits", [nap("one", 12), nap("two", 18), say()], ["one>two", "two>say"], "two"],
    [
      "the slower of two ways that meet",
      [set("a"), nap("nap", 60), say()],
      ["a>nap", "nap>say", "a>say"],
      "nap",
    ],
  ])("is a warning: %s", async (_, nodes, edges, by) => {
    expect(await find(nodes, edges)).toEqual([late("say", by)]);
  });

  test.each([
    ["a short wait", [nap("nap", 29), say()], ["nap>say"]],
    ["a wait of unknown length", [nap("nap", "{{.Event.ts}}"), say()], ["nap>say"]],
    ["a wait that is switched off", [{ ...nap("nap", 60), disabled: true }, say()], ["nap>say"]],
    ["an earlier answer", [say("now"), ask, say()], ["now>ask", "ask>say:approved"]],
    [
      "an earlier answer beside",
      [set("a"), say("now"), nap("n", 60), say()],
      ["a>now", "a>n", "n>say"],
    ],
  ])("is no problem: %s", async (_, nodes, edges) => {
    expect(await find(nodes, edges)).toEqual([]);
  });

  test("With last_node, a wait anywhere in the run makes the sender wait", async () => {
    const found = await find([set("a"), nap("nap", 60)], ["a>nap"], "last_node");
    expect(found).toEqual([
      '/triggers/0/respond_mode: The run waits at "nap", and a request waits 30 seconds.',
    ]);
    expect(await find([set("a"), nap("nap", 60)], ["a>nap"], "immediately")).toEqual([]);
  });
});
