import { describe, expect, test } from "bun:test";
import { workflowBodySchema } from "@hub/contract/workflow-body.ts";
import { nodeTemplateFields, workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import { readShortcut } from "../editor/keys/shortcuts.ts";
import { listItemProblems, worstOf } from "../editor/problems/draft-problems.ts";
import { emptyBody } from "../graph/body.ts";
import { describeItem, toTitle } from "../graph/describe-item.ts";
import { nodeTypes, triggerTypes } from "../graph/item-types.ts";
import { listFieldsOf } from "./fields/item-fields.ts";
import {
  jsonForm,
  numberForm,
  requiredTextForm,
  textForm,
  textsForm,
  toggleForm,
} from "./inputs/value-text.ts";

/** What the head of the inspector and the connections edit. */
const edited = ["id", "type", "label", "entry", "disabled"];

describe("The fields of the inspector", () => {
  const kinds = [
    ...workflowNodeSchema.options.map((schema) => ({ schema, isTrigger: false })),
    ...workflowTriggerSchema.options.map((schema) => ({ schema, isTrigger: true })),
  ].map(({ schema, isTrigger }) => ({ schema, isTrigger, type: String(schema.shape.type.value) }));

  test("The schemas have the types that the canvas has", () => {
    const types = [...Object.keys(nodeTypes), ...Object.keys(triggerTypes)];
    expect(kinds.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
  });

  test.each(kinds)("The inspector has every field of the $type, and no other", ({
    schema,
    isTrigger,
    type,
  }) => {
    const expected = Object.keys(schema.shape).filter((key) => !edited.includes(key));
    const shown = listFieldsOf(type, isTrigger).map(({ key }) => key);
    expect(shown.sort()).toEqual(expected.sort());
  });

  test.each(
    Object.entries(nodeTemplateFields),
  )("The texts of a %s that are templates can be expressions", (type, keys) => {
    const marked = listFieldsOf(type, false).flatMap(({ key, isTemplate }) =>
      isTemplate ? key : [],
    );
    expect(marked.sort()).toEqual([...keys].sort());
  });

  test("A new item of every type has a name and a line, and needs only what its form asks for", () => {
    const items = [
      ...Object.entries(triggerTypes).map(([type, one]) => ({ type, one, isTrigger: true })),
      ...Object.entries(nodeTypes).map(([type, one]) => ({ type, one, isTrigger: false })),
    ];
    for (const { type, one, isTrigger } of items) {
      const item = { id: "a", type, ...one.fields };
      expect(toTitle(item, isTrigger)).toBe(one.name);
      expect(describeItem(item, isTrigger)).not.toBe("");
      const body = isTrigger ? { triggers: [{ ...item, entry: "b" }] } : { nodes: [item] };
      const fields = new Set(listFieldsOf(type, isTrigger).map(({ key }) => key));
      const wrong = workflowBodySchema.safeParse(body).error?.issues ?? [];
      for (const { path } of wrong) expect(fields.has(String(path[2]))).toBe(true);
    }
  });
});

describe("Values as texts", () => {
  const read = (form: typeof textForm, text: string) => {
    const found = form.fromText(text);
    return "value" in found ? found.value : found.problem;
  };

  test("An empty text leaves a field out, if it is not required", () => {
    expect(read(textForm, "")).toBeUndefined();
    expect(read(requiredTextForm, "")).toBe("");
    expect(read(toggleForm, "")).toBeUndefined();
  });

  test("Numbers that keep their digits are numbers", () => {
    expect(read(numberForm, "12.5")).toBe(12.5);
    expect(read(numberForm, "12345678901234567890")).toBe("12345678901234567890");
    expect(read(numberForm, "abc")).toBe("abc");
  });

  test("JSON is written in lines, and one template stands alone", () => {
    expect(jsonForm.toText({ a: 1 })).toBe('{\n  "a": 1\n}');
    expect(jsonForm.toText("{{.Event}}")).toBe("{{.Event}}");
    expect(read(jsonForm, "{{.Event}}")).toBe("{{.Event}}");
    expect(read(jsonForm, '{"a": "{{.Event}}"}')).toEqual({ a: "{{.Event}}" });
    expect(read(jsonForm, "{")).toBe("This is not valid JSON, so it is not saved.");
    expect(read(jsonForm, '{"a": {{.Event}}, "b": 1}')).toEndWith(
      'Write templates in quotes: "{{…}}".',
    );
  });

  test("Texts by name are the rows of a table", () => {
    expect(textsForm.toText({ accept: "text/plain" })).toBe(
      '[{"name":"accept","value":"text/plain"}]',
    );
    expect(read(textsForm, '[{"name":"a","value":"1"},{"name":"","value":"2"}]')).toEqual({
      a: "1",
    });
    expect(read(textsForm, "[]")).toBeUndefined();
  });
});

describe("Problems", () => {
  test("A problem belongs to the item at its path, and errors come first", () => {
    const body = { ...emptyBody, nodes: [{ id: "a", type: "set" }] };
    const problem = { message: "m", hint: "h" };
    const found = listItemProblems({
      body,
      problems: [
        { ...problem, severity: "warning", path: "/triggers/0" },
        { ...problem, severity: "error", path: "/nodes/0/params/a~1b" },
      ],
    });
    expect(found.map(({ id, field }) => ({ id, field }))).toEqual([
      { id: "a", field: ["params", "a/b"] },
      { id: null, field: [] },
    ]);
    expect(worstOf(found, "a")).toBe("error");
    expect(worstOf(found, "b")).toBeNull();
  });
});

describe("Shortcuts", () => {
  const plain = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

  test("Keys mean the same on every keyboard, and others mean nothing", () => {
    expect(readShortcut({ ...plain, key: "n" })).toEqual({ kind: "add" });
    expect(readShortcut({ ...plain, key: "ArrowUp" })).toEqual({ kind: "walk", to: "up" });
    expect(readShortcut({ ...plain, key: "ArrowUp", shiftKey: true })).toEqual({
      kind: "move",
      by: [0, -20],
    });
    expect(readShortcut({ ...plain, key: "Z", metaKey: true, shiftKey: true })).toEqual({
      kind: "redo",
    });
    expect(readShortcut({ ...plain, key: "?", shiftKey: true })).toEqual({ kind: "help" });
    // Tab is the browser's: the graph is no trap.
    expect(readShortcut({ ...plain, key: "Tab" })).toBeNull();
    expect(readShortcut({ ...plain, key: "D" })).toEqual({ kind: "switchOff" });
    for (const keys of [
      { key: "N", shiftKey: true },
      // It leaves the graph.
      { key: "Tab", shiftKey: true },
      { key: "q" },
      { key: "n", ctrlKey: true },
      { key: "n", altKey: true },
    ]) {
      expect(readShortcut({ ...plain, ...keys })).toBeNull();
    }
  });
});
