import { describe, expect, test } from "bun:test";
import { toShape, toShapeOf, UnknownValue } from "../../expressions/schema-shape.ts";
import { emptyBody } from "../../graph/body.ts";
import { listRoots } from "./list-roots.ts";
import { findKeyStep } from "./tree-keys.ts";
import {
  listValueRows,
  membersPerStep,
  toRowId,
  toTypeName,
  type ValueRoot,
} from "./value-rows.ts";

const toRoot = (value: unknown): ValueRoot => ({
  path: ["Event"],
  name: "Event",
  detail: "",
  icon: "play",
  value,
  isGroup: false,
  note: null,
});
const openAll = (...paths: Array<Array<string | number>>) =>
  new Map(paths.map((path) => [toRowId(path), membersPerStep]));

describe("The lines of the values", () => {
  test("Only what is open has lines, with the paths of its values", () => {
    const roots = [toRoot({ id: 7, "x-y": [{ a: 1 }], empty: {} })];
    expect(listValueRows(roots, new Map()).map(({ path }) => path)).toEqual([["Event"]]);
    const rows = listValueRows(roots, openAll(["Event"], ["Event", "x-y"]));
    expect(rows.map(({ path, level, isOpen }) => [path.join(" "), level, isOpen])).toEqual([
      ["Event", 1, true],
      ["Event id", 2, null],
      ["Event x-y", 2, true],
      ["Event x-y 0", 3, false],
      ["Event empty", 2, null],
    ]);
  });

  test("A list of ten thousand items shows a hundred, and then the next ones", () => {
    const read: string[] = [];
    const items = new Proxy(
      Array.from({ length: 10_000 }, (_, at) => at),
      {
        get: (list, key) => {
          if (/^\d+$/.test(String(key))) read.push(String(key));
          return Reflect.get(list, key);
        },
      },
    );
    const rows = listValueRows([toRoot(items)], openAll(["Event"]));
    expect(rows).toHaveLength(102);
    expect(rows.at(-1)).toMatchObject({ more: 9900, isOpen: null, position: 101, size: 101 });
    // The others are not touched.
    expect(new Set(read).size).toBe(100);
    const next = listValueRows([toRoot(items)], new Map([[toRowId(["Event"]), 200]]));
    expect(next.at(-1)?.more).toBe(9800);
  });

  test("Keys walk, open and close as in every tree", () => {
    const rows = listValueRows([toRoot({ a: { b: 1 }, c: 2 })], openAll(["Event"]));
    const press = (key: string, active: number) =>
      findKeyStep({ key, ctrlKey: false, metaKey: false, altKey: false }, rows, active);
    expect(press("ArrowDown", 0)).toEqual({ kind: "move", to: 1 });
    expect(press("ArrowUp", 0)).toEqual({ kind: "move", to: 0 });
    expect(press("End", 0)).toEqual({ kind: "move", to: 2 });
    expect(press("ArrowRight", 1)).toEqual({ kind: "toggle" });
    expect(press("ArrowRight", 0)).toEqual({ kind: "move", to: 1 });
    expect(press("ArrowRight", 2)).toBeNull();
    expect(press("ArrowLeft", 2)).toEqual({ kind: "move", to: 0 });
    expect(press("ArrowLeft", 0)).toEqual({ kind: "toggle" });
    expect(press("c", 0)).toEqual({ kind: "move", to: 2 });
    expect(press("Enter", 2)).toEqual({ kind: "choose" });
    expect(press("Tab", 2)).toBeNull();
  });
});

describe("Shapes", () => {
  test("A schema gives the members of its values, with their types", () => {
    const shape = toShape({
      type: "object",
      properties: {
        id: { type: "integer" },
        lines: { type: "array", items: { $ref: "#/$defs/line" } },
        note: { anyOf: [{ type: "null" }, { type: "string" }] },
      },
      $defs: { line: { type: "object", properties: { sku: { type: "string" } } } },
    });
    expect(shape).toEqual({
      id: new UnknownValue("number"),
      lines: [{ sku: new UnknownValue("text") }],
      note: new UnknownValue("text"),
    });
    expect(toShape({})).toBeUndefined();
    expect(toTypeName(Object(shape).note)).toBe("text");
  });

  test("A schema that contains itself ends", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    expect(JSON.stringify(toShape({ ...node, $defs: { node } })).length).toBeLessThan(1000);
  });
});

describe("The roots of the values", () => {
  const body = {
    ...emptyBody,
    triggers: [{ id: "hook", type: "webhook", entry: "first" }],
    nodes: [
      { id: "first", type: "set", label: "Sum", value: { total: "{{.Event.Type}}" } },
      { id: "next", type: "set", value: 1 },
      { id: "other", type: "set", value: 1 },
    ],
    edges: [{ from: "first", to: "next" }],
  };
  const [, item = { id: "", type: "" }] = body.nodes;
  const list = (hasRun: boolean, Node: object) =>
    listRoots({
      body,
      item,
      hasRun,
      shapes: new Map(),
      rows: new Map(),
      samples: { Event: { Payload: { n: 1 } }, Node, Env: {}, Secret: { KEY: "[secret]" } },
    });

  test("They are the event, the nodes before the item, and the names of secrets", () => {
    const roots = list(true, { first: { total: 5 } });
    expect(roots.map(({ name, isGroup }) => [name, isGroup])).toEqual([
      ["Event", false],
      ["Sum", false],
      ["Secret", true],
    ]);
    expect(roots[1]).toMatchObject({ path: ["Node", "first"], detail: "first", note: null });
  });

  test("Without a run they have the shapes that the fields say", () => {
    const [event, node] = list(false, { first: undefined });
    expect(Object.keys(Object(Object(event?.value).Payload))).toContain("body");
    expect(node?.value).toEqual(toShapeOf({ total: "" }));
    expect(list(true, {})[1]?.note).toBe("No output in this run");
  });
});
