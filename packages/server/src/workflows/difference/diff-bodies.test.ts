import { describe, expect, test } from "bun:test";
import { workflowBodySchema } from "@hub/contract/workflow-body.ts";
import { diffBodies } from "./diff-bodies.ts";

const set = (id: string, value: unknown = 1) => ({ id, type: "set", value });

const nothing = {
  sentences: [],
  nodes: { added: [], removed: [], changed: [] },
  triggers: { added: [], removed: [], changed: [] },
  edges: { added: [], removed: [] },
  comments: { added: [], removed: [], changed: [] },
  settings: [],
  layout: false,
};

describe("diffBodies", () => {
  test("Equal bodies do not differ, also if one has the defaults written out", async () => {
    const body = {
      triggers: [{ id: "t", type: "manual", entry: "a" }],
      nodes: [set("a", { b: [1, { c: 2 }] })],
      edges: [{ from: "a", to: "a" }],
    };
    expect(await diffBodies(body, structuredClone(body))).toEqual(nothing);
    expect(await diffBodies(body, workflowBodySchema.parse(body))).toEqual(nothing);
    expect(await diffBodies({}, {})).toEqual(nothing);
  });

  test("A node that is switched off or on is named so", async () => {
    const off = (id: string) => ({ ...set(id), disabled: true });
    const sentences = async (before: object[], after: object[]) =>
      (await diffBodies({ nodes: before }, { nodes: after })).sentences;
    expect(await sentences([set("a")], [off("a"), off("b")])).toEqual([
      'The node "b" is added, switched off.',
      'The node "a": it is switched off.',
    ]);
    expect(await sentences([off("a")], [set("a")])).toEqual(['The node "a": it is switched on.']);
    expect(await sentences([{ ...set("a"), disabled: false }], [set("a")])).toEqual([]);
  });

  test("Nodes and triggers are added, removed and changed by their ids", async () => {
    const before = { nodes: [set("a"), set("b", { x: 1, list: [1, 2] }), set("c", 3)] };
    const after = {
      triggers: [{ id: "t", type: "manual", entry: "b" }],
      nodes: [set("c", 3), set("b", { x: 2, list: [1, 5] }), set("d")],
    };
    const difference = await diffBodies(before, after);
    expect(difference.nodes).toEqual({
      added: ["d"],
      removed: ["a"],
      changed: [{ id: "b", fields: ["/value/x", "/value/list/1"] }],
    });
    expect(difference.triggers.added).toEqual(["t"]);
    expect(difference.sentences).toEqual([
      'The trigger "t" is added.',
      'The node "d" is added.',
      'The node "a" is removed.',
      'The node "b": value.x changes from 1 to 2.',
      'The node "b": value.list.1 changes from 2 to 5.',
    ]);
  });

  test("Values that are set and removed are named, and long ones are not shown", async () => {
    const before = { nodes: [{ ...set("a", "x"), label: "Old" }] };
    const after = { nodes: [{ ...set("a", "y".repeat(100)), timeout_s: 5 }] };
    expect((await diffBodies(before, after)).sentences).toEqual([
      'The node "a": label is removed.',
      'The node "a": value changes.',
      'The node "a": timeout_s is set to 5.',
    ]);
  });

  test("Comments differ by their texts and sizes. Moving one is a change of the layout", async () => {
    const comment = (id: string, text: string, x = 0) => ({ id, text, position: [x, 0] });
    const before = { comments: [comment("a", "One"), comment("b", "Two"), comment("c", "Three")] };
    const after = { comments: [comment("a", "One", 16), comment("b", "2"), comment("d", "Four")] };
    const difference = await diffBodies(before, after);
    expect(difference.comments).toEqual({
      added: ["d"],
      removed: ["c"],
      changed: [{ id: "b", fields: ["/text"] }],
    });
    expect(difference.layout).toBe(true);
    expect(difference.sentences).toContain('The comment "b": text changes from "Two" to "2".');
    const written = { comments: [{ ...comment("a", "One"), size: [240, 112] }] };
    expect(await diffBodies({ comments: [comment("a", "One")] }, written)).toEqual(nothing);
  });

  test("Edges differ by their ends and their case", async () => {
    const before = {
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "c", case: "true" },
      ],
    };
    const after = {
      edges: [
        { from: "b", to: "c", case: "false" },
        { from: "a", to: "b" },
      ],
    };
    const difference = await diffBodies(before, after);
    expect(difference.edges).toEqual({
      added: [{ from: "b", to: "c", case: "false" }],
      removed: [{ from: "b", to: "c", case: "true" }],
    });
    expect(difference.sentences[0]).toBe('The edge from "b" to "c" for the case "false" is added.');
  });

  test("Settings and the layout differ too", async () => {
    const before = { settings: { timeout_s: 60, env: { A: "1" } }, layout: { a: [0, 0] } };
    const after = { settings: { timeout_s: 90, env: { B: "1" } }, layout: { a: [0, 8] } };
    const difference = await diffBodies(before, after);
    expect(difference).toMatchObject({
      settings: ["/timeout_s", "/env/A", "/env/B"],
      layout: true,
    });
    expect(difference.sentences).toEqual([
      "The setting timeout_s changes from 60 to 90.",
      "The setting env.A is removed.",
      'The setting env.B is set to "1".',
      "The layout changes.",
    ]);
  });

  test("Drafts with errors are compared as they are written", async () => {
    const before = {
      nodes: [{ id: "a", type: "http" }, 5, { id: 7 }],
      edges: "none",
      settings: [],
    };
    const after = {
      nodes: [{ id: "a", type: "http", ur: "x" }],
      edges: [{ from: 1 }],
      settings: 3,
    };
    const difference = await diffBodies(before, after);
    expect(difference.nodes.changed).toEqual([{ id: "a", fields: ["/ur"] }]);
    expect(await diffBodies(null, [])).toEqual(nothing);
  });

  test("The number of listed differences is limited", async () => {
    const value = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at]));
    const nodes = Array.from({ length: 10 }, (_, at) => `n${at}`);
    const before = { nodes: nodes.map((id) => set(id, {})) };
    const after = { nodes: nodes.map((id) => set(id, value)) };
    const difference = await diffBodies(before, after);
    expect(difference.nodes.changed[0]?.fields).toHaveLength(50);
    expect(difference.sentences).toHaveLength(201);
    expect(difference.sentences.at(-1)).toBe("There are 300 more changes.");
  });
});
