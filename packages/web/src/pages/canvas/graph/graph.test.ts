import { describe, expect, test } from "bun:test";
import { parseExactJson } from "../../../api/exact-json.ts";
import { type Body, emptyBody, findItem, listItemCases, readBody } from "./body.ts";
import { copyItems, pasteItems, readCopied } from "./clipboard.ts";
import {
  addNode,
  addTrigger,
  checkNewId,
  connect,
  disconnect,
  findOpenOutput,
  isFree,
  makeId,
  move,
  removeItems,
  renameCase,
  renameItem,
  setFields,
  splice,
  switchItems,
} from "./commands.ts";
import { addComment, findComment, setComment } from "./comments.ts";
import { toLayoutInput } from "./flow.ts";
import { endStep, record, redo, startHistory, undo } from "./history.ts";
import { layoutGraph } from "./layout-graph.ts";
import { mergeBodies } from "./merge-bodies.ts";
import { findCommentPosition, findFreePosition } from "./place-item.ts";
import { findAncestors, findNeighbour, sortItems } from "./walk-graph.ts";

const orders: Body = {
  ...emptyBody,
  triggers: [{ id: "hook", type: "webhook", entry: "check" }],
  nodes: [
    { id: "check", type: "branch", conditions: [] },
    { id: "big", type: "set", value: { total: "{{.Event.Payload.total}}" } },
    { id: "small", type: "set", value: 1 },
    { id: "done", type: "set", value: "{{.Node.big.total}} and {{.Node.bigger}}, .Node.big" },
  ],
  edges: [
    { from: "check", to: "small", case: "false" },
    { from: "check", to: "big", case: "true" },
    { from: "big", to: "done" },
    { from: "small", to: "done" },
  ],
};

describe("A body", () => {
  test("A body that is an object with items and edges can be drawn, and keeps its other members", () => {
    expect(readBody({ settings: { timeout_s: 5 }, nodes: [] })).toEqual({
      ...emptyBody,
      settings: { timeout_s: 5 },
    });
    expect(readBody({ layout: { gone: [1, 2] } })).toEqual(emptyBody);
  });

  test("A body with an id twice, or with items that are none, cannot be drawn", () => {
    const node = { id: "a", type: "set" };
    for (const body of [
      null,
      [],
      { nodes: {} },
      { nodes: [node, node] },
      { nodes: [node], triggers: [node] },
      { nodes: [{ id: 1, type: "set" }] },
      { edges: [{ from: "a" }] },
    ]) {
      expect(readBody(body)).toBeNull();
    }
  });

  test("The cases of an item are those of its type, its fields and its errors", () => {
    const node = { id: "a", type: "set" };
    expect(listItemCases(node)).toEqual([]);
    expect(listItemCases({ ...node, on_error: "route" })).toEqual(["error"]);
    expect(listItemCases({ ...node, type: "branch" })).toEqual(["true", "false"]);
    expect(
      listItemCases({ ...node, type: "switch", cases: [{ case: "x" }, { case: "" }, null] }),
    ).toEqual(["x", "default"]);
  });
});

describe("Commands", () => {
  test("A new node follows its place along the case", () => {
    const added = addNode(orders, { id: "next", type: "set" }, { from: "done" }, [1, 2]);
    expect(added.edges.at(-1)).toEqual({ from: "done", to: "next" });
    expect(added.layout).toEqual({ next: [1, 2] });
  });

  test("A new node on a connection comes between, and the former next follows its first output", () => {
    const at = { from: "check", case: "true", to: "big" };
    const { edges } = addNode(orders, { id: "ask", type: "approval" }, at);
    expect(edges).not.toContainEqual({ from: "check", to: "big", case: "true" });
    expect(edges).toContainEqual({ from: "check", to: "ask", case: "true" });
    expect(edges).toContainEqual({ from: "ask", to: "big", case: "approved" });
  });

  test("A first trigger begins at the node that nothing leads to", () => {
    const without = { ...orders, triggers: [] };
    const { triggers } = addTrigger(without, { id: "hand", type: "manual" });
    expect(triggers).toEqual([{ id: "hand", type: "manual", entry: "check" }]);
  });

  test("A trigger has one entry, and nothing leads to a trigger", () => {
    const moved = connect(orders, { from: "hook", to: "done" });
    expect(findItem(moved, "hook")?.entry).toBe("done");
    expect(connect(orders, { from: "done", to: "hook" })).toBe(orders);
    expect(findItem(disconnect(moved, { from: "hook", to: "done" }), "hook")?.entry).toBe("");
  });

  test("The same connection is not made twice", () => {
    expect(connect(orders, { from: "big", to: "done" })).toBe(orders);
  });

  test("Two cases of a node lead to the same node, and each connection is removed alone", () => {
    const both = connect(orders, { from: "check", to: "big", case: "false" });
    const toBig = (body: Body) =>
      body.edges.filter(({ to }) => to === "big").map((one) => one.case);
    expect(toBig(both)).toEqual(["true", "false"]);
    expect(toBig(disconnect(both, { from: "check", to: "big", case: "true" }))).toEqual(["false"]);
  });

  test("What leads to a removed node of a row leads to the next one", () => {
    const removed = removeItems(orders, new Set(["big"]));
    expect(removed.edges).toContainEqual({ from: "check", to: "done", case: "true" });
    expect(removed.nodes.map(({ id }) => id)).toEqual(["check", "small", "done"]);
  });

  test("A trigger loses its entry with the node, if nothing follows", () => {
    const removed = removeItems(orders, new Set(["check"]));
    expect(findItem(removed, "hook")?.entry).toBe("");
  });

  test("A renamed item is renamed in connections, layout and templates, and in no other text", () => {
    const renamed = renameItem({ ...orders, layout: { big: [1, 2] } }, "big", "large");
    expect(findItem(renamed, "done")?.value).toBe(
      "{{.Node.large.total}} and {{.Node.bigger}}, .Node.big",
    );
    expect(renamed.edges).toContainEqual({ from: "check", to: "large", case: "true" });
    expect(renamed.layout).toEqual({ large: [1, 2] });
    expect(findItem(renameItem(orders, "check", "first"), "hook")?.entry).toBe("first");
  });

  test("Exact numbers survive a change of names", () => {
    const value = parseExactJson("123456789012345678901234567890");
    const body = { ...orders, nodes: [...orders.nodes, { id: "exact", type: "set", value }] };
    const renamed = renameItem(body, "big", "large");
    expect(JSON.stringify(findItem(renamed, "exact"))).toContain("123456789012345678901234567890");
  });

  test("An id can be used if it is well formed and free", () => {
    expect(checkNewId(orders, "big", "big")).toBeNull();
    expect(checkNewId(orders, "big", "other")).toBeNull();
    expect(checkNewId(orders, "big", "done")).toContain("has this id");
    expect(checkNewId(orders, "big", "Done!")).toContain("a-z");
    expect(makeId(orders, "done")).toBe("done_2");
    expect(makeId(orders, "free")).toBe("free");
  });

  test("Nodes are switched off together, and on again, but not triggers and nodes with cases", () => {
    const body: Body = {
      ...emptyBody,
      triggers: [{ id: "t", type: "manual", entry: "a" }],
      nodes: [
        { id: "a", type: "set", value: 1 },
        { id: "b", type: "http", url: "x", on_error: "route", disabled: true },
        { id: "c", type: "branch", conditions: [] },
      ],
      edges: [{ from: "b", to: "c", case: "error" }],
    };
    const all = new Set(["t", "a", "b", "c"]);
    const off = switchItems(body, all);
    expect(off.nodes.map(({ disabled }) => disabled)).toEqual([true, true, undefined]);
    expect(off.triggers).toEqual(body.triggers);
    expect(off.edges).toEqual(body.edges);
    const on = switchItems(off, all);
    expect(on.nodes.some((node) => Object.hasOwn(node, "disabled"))).toBe(false);
    expect(switchItems(body, new Set(["c"]))).toBe(body);
    // A draft can come with one that is off.
    const wrong = setFields(body, "c", { disabled: true });
    expect(switchItems(wrong, new Set(["c"])).nodes[2]).not.toHaveProperty("disabled");
  });

  test("The edges of a case go with the case, and follow its new name", () => {
    const cases = [{ case: "a" }, { case: "b" }];
    const body: Body = {
      ...orders,
      nodes: [
        { id: "pick", type: "switch", cases },
        { id: "end", type: "set" },
      ],
      edges: [{ from: "pick", to: "end", case: "a" }],
    };
    const named = renameCase(body, "pick", { from: "a", to: "c", cases: [{ case: "c" }] });
    expect(named.edges).toEqual([{ from: "pick", to: "end", case: "c" }]);
    expect(setFields(body, "pick", { cases: [{ case: "b" }] }).edges).toEqual([]);
  });

  test("A node is added at the first open output, or else before the next node", () => {
    const open = disconnect(orders, { from: "check", to: "small", case: "false" });
    expect(findOpenOutput(open, "check")).toEqual({ from: "check", case: "false" });
    expect(findOpenOutput(orders, "big")).toEqual({ from: "big", case: undefined, to: "done" });
    expect(findOpenOutput(orders, "hook")).toEqual({ from: "hook", to: "check" });
  });
});

describe("Undo", () => {
  const other = { ...orders, nodes: [] };

  test("Undo and redo go through the changes", () => {
    const changed = record(startHistory(orders), other);
    expect(undo(changed).now).toBe(orders);
    expect(redo(undo(changed)).now).toBe(other);
    expect(undo(startHistory(orders)).now).toBe(orders);
  });

  test("Changes of one field in a row are one step, until the step ends", () => {
    const first = record(startHistory(orders), { ...other, a: 1 }, "field");
    const second = record(first, { ...other, a: 2 }, "field");
    expect(undo(second).now).toBe(orders);
    const third = record(endStep(second), { ...other, a: 3 }, "field");
    expect(undo(third).now).toBe(second.now);
  });

  test("Undo goes back at most two hundred changes", () => {
    const bodies = Array.from({ length: 300 }, () => ({ ...orders }));
    let history = bodies.reduce((before, body) => record(before, body), startHistory(orders));
    for (const _ of bodies) history = undo(history);
    expect(bodies.indexOf(history.now)).toBe(99);
  });
});

describe("Copies", () => {
  test("A copied part is pasted with new ids, its own edges, and templates that read the new ids", () => {
    const part = readCopied(JSON.parse(copyItems(orders, new Set(["big", "done"]))));
    const { body, ids } = pasteItems(orders, part ?? emptyBody, [10, 10]);
    expect([...ids]).toEqual(["big_2", "done_2"]);
    expect(body.edges).toContainEqual({ from: "big_2", to: "done_2" });
    expect(findItem(body, "done_2")?.value).toContain("{{.Node.big_2.total}}");
  });

  test("A copied part has no connection to an item outside it", () => {
    for (const id of ["check", "big", "done"]) {
      expect(readCopied(JSON.parse(copyItems(orders, new Set([id]))))?.edges).toEqual([]);
    }
  });

  test("A part is pasted into another workflow with the ids that it has", () => {
    const part = readCopied(JSON.parse(copyItems(orders, new Set(["hook", "check"]))));
    const { body } = pasteItems(emptyBody, part ?? emptyBody, [0, 0]);
    expect(body.triggers).toEqual([{ id: "hook", type: "webhook", entry: "check" }]);
  });

  test("Another text is not pasted", () => {
    for (const value of [null, "text", {}, { format: "hub-workflow-part" }]) {
      expect(readCopied(value)).toBeNull();
    }
  });
});

describe("The layout", () => {
  test("Each node is to the right of what leads to it, and cases are in their order", () => {
    const places = layoutGraph(toLayoutInput(orders));
    const at = (id: string) => places[id] ?? [0, 0];
    expect(at("hook")[0]).toBeLessThan(at("check")[0]);
    expect(at("check")[0]).toBeLessThan(at("big")[0]);
    expect(at("big")[0]).toBeLessThan(at("done")[0]);
    expect(at("big")[1]).toBeLessThan(at("small")[1]);
  });

  /** The nodes of a chain, with two of them beside each other at `fork`. */
  const toChain = (count: number, fork?: number): Body => {
    const ids = Array.from({ length: count }, (_, at) => `n${at}`);
    const edges = ids.slice(1).map((to, at) => ({ from: `n${at}`, to }));
    const around = [
      { from: `n${(fork ?? 0) - 1}`, to: "beside" },
      { from: "beside", to: `n${(fork ?? 0) + 1}` },
    ];
    const nodes = ids.map((id) => ({ id, type: "set" }));
    if (fork === undefined) return { ...emptyBody, nodes, edges };
    const beside = { id: "beside", type: "set" };
    return { ...emptyBody, nodes: [...nodes, beside], edges: [...edges, ...around] };
  };
  const measure = (body: Body) => {
    const places = Object.values(layoutGraph(toLayoutInput(body)));
    const toEnd = (axis: 0 | 1) => Math.max(...places.map((place) => place[axis]));
    return { places, width: toEnd(0) + 180, height: toEnd(1) + 64 };
  };

  test("Nodes are 180 by 64 pixels and 40 apart, and seven with two beside each other fit into 1,000 pixels", () => {
    const { places, width, height } = measure(toChain(6, 2));
    expect(width).toBe(4 * 180 + 3 * 40);
    expect(height).toBe(3 * 64 + 2 * 40);
    const rows = places.toSorted(([x, y], [otherX, otherY]) => y - otherY || x - otherX);
    expect(rows.filter(([, y]) => y === 208)).toEqual([
      [0, 208],
      [220, 208],
    ]);
  });

  test("A long chain goes on in rows, and one row holds what has no place to break", () => {
    expect(measure(toChain(9)).places.filter(([x]) => x === 0)).toHaveLength(3);
    const ladder = toChain(9);
    const rungs = ladder.nodes.map(({ id }) => ({ id: `${id}b`, type: "set" }));
    const edges = ladder.edges.map(({ from, to }) => ({ from: `${from}b`, to: `${to}b` }));
    const both = {
      ...ladder,
      nodes: [...ladder.nodes, ...rungs],
      edges: [...ladder.edges, ...edges],
    };
    expect(measure(both).width).toBe(9 * 180 + 8 * 40);
  });

  test("A new item takes a free place beside its predecessor", () => {
    const positions = { big: [0, 0], done: [220, 0] } as const;
    expect(findFreePosition(orders, positions, { from: "big" }, [0, 0])).toEqual([220, 104]);
    expect(findFreePosition(orders, positions, null, [0, 500])).toEqual([0, 500]);
  });

  test("A new item that would make the graph wider than a row begins the next one", () => {
    const row = { hook: [0, 0], check: [220, 0], big: [440, 0], small: [660, 0] } as const;
    expect(findFreePosition(orders, row, { from: "small" }, [0, 0])).toEqual([0, 104]);
    const long = { ...row, done: [1200, 0] } as const;
    expect(findFreePosition(orders, long, { from: "done" }, [0, 0])).toEqual([1420, 0]);
  });

  test("A new item between two is between them if there is space, or else below", () => {
    const between = (x: number) =>
      findFreePosition(orders, { big: [0, 0], done: [x, 0] }, { from: "big", to: "done" }, [0, 0]);
    expect(between(440)).toEqual([220, 0]);
    expect(between(220)).toEqual([120, 104]);
  });

  test("A new comment covers no item and no other comment", () => {
    const positions = { big: [0, 0], done: [328, 0] } as const;
    expect(findCommentPosition(orders, positions, [100, 3])).toEqual([100, 104]);
    const comments = [{ id: "c", text: "", position: [0, 104], size: [240, 112] }] as const;
    expect(findCommentPosition({ ...orders, comments }, positions, [100, 3])).toEqual([100, 256]);
    expect(findCommentPosition(orders, positions, [0, -300])).toEqual([0, -300]);
  });
});

describe("Walking", () => {
  test("Items are listed in reading order", () => {
    expect(sortItems(orders)).toEqual(["hook", "check", "big", "small", "done"]);
  });

  test("The items of a cycle are listed once", () => {
    const cycle = { ...orders, edges: [...orders.edges, { from: "done", to: "check" }] };
    expect(sortItems(cycle).sort()).toEqual(["big", "check", "done", "hook", "small"]);
  });

  test("Everything that runs before a node is an ancestor", () => {
    expect([...findAncestors(orders, "big")].sort()).toEqual(["check", "hook"]);
  });

  test("Arrow keys follow the connections, and go to the nearest item beside", () => {
    const positions = { hook: [0, 0], check: [300, 0], big: [600, -50], small: [600, 50] } as const;
    const go = (id: string, to: "left" | "right" | "up" | "down") =>
      findNeighbour(orders, id, to, positions);
    expect(go("check", "right")).toBe("big");
    expect(go("big", "down")).toBe("small");
    expect(go("small", "up")).toBe("big");
    expect(go("check", "left")).toBe("hook");
    expect(go("hook", "left")).toBeNull();
  });
});

describe("A node without connections", () => {
  const free: Body = { ...orders, nodes: [...orders.nodes, { id: "new", type: "branch" }] };

  test("It is put on a connection, whose ends it then connects along its first case", () => {
    expect(isFree(free, "new")).toBe(true);
    const spliced = splice(free, "new", { from: "check", case: "true", to: "big" });
    expect(spliced.edges).toContainEqual({ from: "check", to: "new", case: "true" });
    expect(spliced.edges).toContainEqual({ from: "new", to: "big", case: "true" });
    expect(spliced.edges).toHaveLength(free.edges.length + 1);
    const first = splice(free, "new", { from: "hook", to: "check" });
    expect(findItem(first, "hook")?.entry).toBe("new");
  });

  test("A node that is connected, and a trigger, are not put on another connection", () => {
    const point = { from: "check", case: "true", to: "big" };
    expect(splice(free, "small", point)).toBe(free);
    expect(isFree(free, "hook")).toBe(false);
  });
});

describe("Comments", () => {
  const [withComment, key] = addComment(orders, [16, 32]);
  const written = setComment(withComment, key, { text: "Why" });

  test("A comment is added, written, moved and removed, and leaves the body as it was", () => {
    expect(findComment(written, key)).toMatchObject({ text: "Why", position: [16, 32] });
    const moved = move(written, { [key]: [48, 64], big: [1, 2] });
    expect(findComment(moved, key)?.position).toEqual([48, 64]);
    expect(moved.layout).toEqual({ big: [1, 2] });
    expect(removeItems(written, new Set([key]))).toEqual(orders);
  });

  test("A copied comment is pasted beside the first one, under an id of its own", () => {
    const part = readCopied(JSON.parse(copyItems(written, new Set([key, "big"]))));
    const pasted = pasteItems(written, part ?? emptyBody, [48, 48]);
    expect(pasted.body.comments).toHaveLength(2);
    const [other = ""] = [...pasted.ids].filter((id) => id.startsWith("comment:"));
    expect(findComment(pasted.body, other)).toMatchObject({ text: "Why", position: [64, 80] });
    expect(other).not.toBe(key);
  });

  test("Arrow keys lead from an item to a comment above it, and back", () => {
    const positions: Record<string, [number, number]> = {
      hook: [0, 200],
      check: [300, 200],
      big: [600, 200],
      small: [600, 300],
      done: [900, 200],
      [key]: [16, 32],
    };
    expect(findNeighbour(written, "hook", "up", positions)).toBe(key);
    expect(findNeighbour(written, key, "down", positions)).toBe("hook");
    expect(findNeighbour(written, key, "right", positions)).toBe("check");
  });

  test("What is no comment in a draft is not drawn", () => {
    const read = readBody({ ...written, comments: [{ id: "x" }, ...(written.comments ?? [])] });
    expect(read?.comments).toHaveLength(1);
  });
});

test("Two bodies are one graph with what was added, changed and removed, also connections", () => {
  const newer: Body = {
    ...orders,
    triggers: [{ id: "hook", type: "webhook", entry: "big" }],
    nodes: orders.nodes.filter(({ id }) => id !== "small"),
    edges: orders.edges.filter(({ to, from }) => to !== "small" && from !== "small"),
  };
  const none = { added: [], removed: [], changed: [] };
  const merged = mergeBodies(orders, newer, {
    sentences: [],
    settings: [],
    layout: false,
    comments: none,
    nodes: { ...none, removed: ["small"] },
    triggers: { ...none, changed: [{ id: "hook", fields: ["/entry"] }] },
    edges: { added: [], removed: [{ from: "small", to: "done" }] },
  });
  expect(merged.body.nodes.map(({ id }) => id)).toEqual(["check", "big", "done", "small"]);
  expect(Object.fromEntries(merged.changes)).toEqual({ hook: "changed", small: "removed" });
  expect(merged.findLinkChange({ from: "hook", to: "big" })).toBe("added");
  expect(merged.findLinkChange({ from: "small", to: "done" })).toBe("removed");
  expect(merged.findLinkChange({ from: "big", to: "done" })).toBeNull();
});

test("The connection of a changed trigger that leads to the same node as before is not new", () => {
  const newer: Body = { ...orders, triggers: [{ id: "hook", type: "manual", entry: "check" }] };
  const none = { added: [], removed: [], changed: [] };
  const merged = mergeBodies(orders, newer, {
    sentences: [],
    settings: [],
    layout: false,
    comments: none,
    nodes: none,
    triggers: { ...none, changed: [{ id: "hook", fields: ["/type"] }] },
    edges: { added: [], removed: [] },
  });
  expect(merged.changes.get("hook")).toBe("changed");
  expect(merged.findLinkChange({ from: "hook", to: "check" })).toBeNull();
});
