import { describe, expect, test } from "bun:test";
import type { WorkflowRunDetail } from "@hub/contract/workflow-run.ts";
import { emptyBody } from "../graph/body.ts";
import { applyCompletion, findCompletions, toSample } from "./find-completions.ts";
import { insertValue } from "./insert-value.ts";
import { listSamples, restoreCut } from "./list-samples.ts";
import { writeExpression, writeScript } from "./write-expression.ts";

const samples = {
  Event: { Type: "webhook", Payload: { total: 5, items: [1, 2], "not-a-name": 1 } },
  Node: { check: { ok: true } },
};

/** Completes at `|`. */
const complete = (given: string) => {
  const at = given.indexOf("|");
  return findCompletions(given.replace("|", ""), at, samples);
};
const names = (given: string) => complete(given)?.options.map(({ name }) => name) ?? null;

describe("Completion", () => {
  test("An empty expression offers what can be read, and a path the members of its value", () => {
    expect(names("{{|")).toEqual(["Event", "Node"]);
    expect(names("{{.|}}")).toEqual(["Event", "Node"]);
    expect(names("{{.Event.Payload.|}}")).toEqual(["total", "items", "not-a-name"]);
    expect(names("a {{ .Node.check.o|")).toEqual(["ok"]);
    expect(names("{{if eq .Event.T|")).toEqual(["Type"]);
    expect(names("{{(.Event.|")).toEqual(["Type", "Payload"]);
  });

  test("Nothing is offered outside of expressions, in texts, and for unknown values", () => {
    for (const given of [
      "|",
      "{{.Event}} .Event.|",
      '{{eq "x.|',
      "{{.Event.Payload.total.|",
      "{{.Nothing.|",
      "{{.Event.Type|",
      "{{upper |",
    ]) {
      expect(names(given)).toBeNull();
    }
  });

  test("Each offer has its last real value", () => {
    expect(complete("{{.Event.Payload.|")?.options).toEqual([
      { name: "total", expression: ".Event.Payload.total", sample: "5" },
      { name: "items", expression: ".Event.Payload.items", sample: "list of 2" },
      { name: "not-a-name", expression: 'index .Event.Payload "not-a-name"', sample: "1" },
    ]);
    expect(toSample("a\nb".repeat(60))).toEndWith("…");
    expect(toSample({ a: 1 })).toBe("{ a }");
    expect(toSample(undefined)).toBe("");
  });

  test("A choice replaces what is typed, and closes an open expression", () => {
    const choose = (given: string) => {
      const found = complete(given);
      const [first] = found?.options ?? [];
      if (found === null || first === undefined) return null;
      const { text, at } = applyCompletion(given.replace("|", ""), found, first);
      return `${text.slice(0, at)}|${text.slice(at)}`;
    };
    expect(choose("{{|")).toBe("{{.Event|}}");
    expect(choose("{{.Ev|}} b")).toBe("{{.Event|}} b");
    expect(choose("a {{.Event.Pay| | json}}")).toBe("a {{.Event.Payload| | json}}");
    expect(choose("{{.Event.Payload.not|")).toBe('{{index .Event.Payload "not-a-name"|}}');
    expect(choose("{{upper .Event.Payload.not|}}")).toBe(
      '{{upper (index .Event.Payload "not-a-name")|}}',
    );
  });
});

describe("A path as an expression", () => {
  test("Items, and names with other characters, are read by index", () => {
    const write = (...path: Array<string | number>) => writeExpression(path).text;
    expect(write("Event", "Payload", "id")).toBe(".Event.Payload.id");
    expect(write("Node", "list", "orders", 0, "id")).toBe("(index .Node.list.orders 0).id");
    expect(write("Node", "list", 3)).toBe("index .Node.list 3");
    expect(write("Node", "a", 0, "x-y", "z")).toBe('(index .Node.a 0 "x-y").z');
    expect(write("Event", 'a"b\n{{c}}')).toBe(
      'index .Event "a\\"b\\n\\u007b\\u007bc\\u007d\\u007d"',
    );
  });

  test("A program reads the same in its own language, except secrets", () => {
    expect(writeScript(["Node", "list", 0, "x-y"])).toBe('node.list[0]["x-y"]');
    expect(writeScript(["Secret", "KEY"])).toBeNull();
  });
});

describe("Inserting a value", () => {
  const path = ["Event", "x-y"];
  /** Inserts at `|`, or instead of what is between two of them. */
  const insert = (given: string, kind: "template" | "json" | "script", of: string[] = path) => {
    const [before = "", middle = "", after] = given.split("|");
    const text = before + middle + (after ?? "");
    const end = after === undefined ? before.length : before.length + middle.length;
    const plain = after === undefined ? before + middle : text;
    const found = insertValue({ text: plain, start: before.length, end }, of, kind);
    if (found === null) return null;
    return plain.slice(0, found.from) + found.insert + plain.slice(found.to);
  };

  test("It stands in braces, or is a part of the expression around it", () => {
    expect(insert("a | b", "template")).toBe('a {{index .Event "x-y"}} b');
    expect(insert("a |b| c", "template", ["Event"])).toBe("a {{.Event}} c");
    expect(insert("{{upper |}}", "template")).toBe('{{upper (index .Event "x-y")}}');
    expect(insert("{{upper |}}", "template", ["Event"])).toBe("{{upper .Event}}");
    expect(insert("return |;", "script")).toBe('return event["x-y"];');
    expect(insert("return |;", "script", ["Secret"])).toBeNull();
  });

  test("JSON stays JSON", () => {
    expect(insert('{"a": |}', "json")).toBe('{"a": "{{index .Event \\"x-y\\"}}"}');
    expect(insert('{"a": "b |"}', "json")).toBe('{"a": "b {{index .Event \\"x-y\\"}}"}');
    expect(insert("|", "json")).toBe('{{index .Event "x-y"}}');
    expect(insert("{{.Event}}|", "json", ["Env"])).toBe("{{.Event}}{{.Env}}");
  });
});

describe("Samples", () => {
  test("An item reads what runs before it, and the names of secrets", () => {
    const body = {
      ...emptyBody,
      nodes: ["a", "b", "c"].map((id) => ({ id, type: "set" })),
      edges: [{ from: "a", to: "b" }],
      settings: { env: { REGION: "north" } },
    };
    const found = listSamples({
      body,
      item: { id: "b", type: "set" },
      secrets: ["KEY"],
      run: null,
    });
    expect(found.Node).toEqual({ a: undefined });
    expect(found.Env).toEqual({ REGION: "north" });
    expect(found.Secret).toEqual({ KEY: "[secret]" });
    expect(found).not.toHaveProperty("Item");
  });

  test("A step that was switched off gives what it passed on", () => {
    const toStep = (state: string) => ({ node_id: "a", item: null, state, output: { total: 5 } });
    const read = (state: string) =>
      listSamples({
        body: {
          ...emptyBody,
          nodes: [
            { id: "a", type: "set" },
            { id: "b", type: "set" },
          ],
          edges: [{ from: "a", to: "b" }],
        },
        item: { id: "b", type: "set" },
        secrets: [],
        // Only these members of the run are read.
        run: { event: {}, steps: [toStep(state)] } as unknown as WorkflowRunDetail,
      }).Node;
    expect(read("skipped")).toEqual({ a: { total: 5 } });
    expect(read("failed")).toEqual({ a: undefined });
  });

  test("A value of which only a part is shown has the paths of the whole one", () => {
    const toNote = (path: string) => ({ cuts: [{ path, kept: 1, of: 9 }] });
    expect(restoreCut({ id: 1, _truncated: toNote("text") })).toEqual({ id: 1 });
    expect(restoreCut({ result: [1], _truncated: toNote("$") })).toEqual([1]);
    expect(restoreCut({ result: [{ a: "b" }], _truncated: toNote("[0].a") })).toEqual([{ a: "b" }]);
    expect(restoreCut({ result: [1], _truncated: toNote("result") })).toEqual({ result: [1] });
    expect(restoreCut([1])).toEqual([1]);
  });
});
