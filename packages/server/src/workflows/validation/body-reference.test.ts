import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  workflowBodySchema,
  workflowCommentSchema,
  workflowEdgeSchema,
  workflowQueueSchema,
  workflowSettingsSchema,
} from "@hub/contract/workflow-body.ts";
import { conditionOperatorSchema } from "@hub/contract/workflow-condition.ts";
import { nodeTemplateFields, workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import { checkCondition } from "../conditions/check-condition.ts";
import { validateBody } from "./validate-body.ts";

const root = resolve(import.meta.dirname, "../../../../..");
const page = readFileSync(resolve(root, "docs/reference/workflow-body.md"), "utf8");

/** The text below a heading, up to the next one of its level. */
function findSection(heading: string): string {
  const [marks = ""] = /^#+/.exec(heading) ?? [];
  const start = page.indexOf(`\n${heading}\n`);
  expect({ heading, isThere: start !== -1 }).toEqual({ heading, isThere: true });
  const rest = page.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${marks.length}} `, "m"));
  return end === -1 ? rest : rest.slice(0, end);
}

/** The first cells of the tables of a text, without marks. */
function listCells(text: string): string[] {
  return [...text.matchAll(/^\| (`[^|]*`)( T)? \|/gm)].flatMap(([, cell = ""]) =>
    cell.split(", ").map((name) => name.replaceAll("`", "")),
  );
}

const intro = (heading: string) => findSection(heading).split("\n### ")[0] ?? "";

describe("docs/reference/workflow-body.md", () => {
  test("The page has every field of the body, of edges, comments and settings", () => {
    expect(listCells(intro("## The body")).sort()).toEqual(
      Object.keys(workflowBodySchema.shape).sort(),
    );
    expect(listCells(intro("## Edges").split("A node without cases")[0] ?? "").sort()).toEqual(
      Object.keys(workflowEdgeSchema.shape).sort(),
    );
    expect(listCells(findSection("## Comments")).sort()).toEqual(
      Object.keys(workflowCommentSchema.shape).sort(),
    );
    const { queue: _, ...settings } = workflowSettingsSchema.shape;
    const queue = Object.keys(workflowQueueSchema.shape).map((key) => `queue.${key}`);
    expect(listCells(intro("## Settings")).sort()).toEqual(
      [...queue, ...Object.keys(settings)].sort(),
    );
  });

  test("The page has every trigger type with its fields, and no other field", () => {
    const common = listCells(intro("## Triggers"));
    const all = findSection("## Triggers");
    for (const { shape } of workflowTriggerSchema.options) {
      const section = findIn(all, shape.type.value);
      expect([...common, ...listCells(section)].sort()).toEqual(Object.keys(shape).sort());
    }
    expect(all.match(/^### /gm)).toHaveLength(workflowTriggerSchema.options.length);
  });

  test("The page has every node type with its fields, marks templates, and has no other field", () => {
    const all = findSection("## Nodes");
    const common = ["id", "type", "label", "disabled", "timeout_s", "retry", "on_error"];
    const shared = ["for_each", "items_at_once", "repeat"];
    expect(listCells(intro("## Nodes")).map((name) => name.replace(/\..*/, ""))).toEqual([
      "id",
      "type",
      "label",
      "disabled",
      "timeout_s",
      "retry",
      "retry",
      "on_error",
      ...shared,
    ]);
    for (const { shape } of workflowNodeSchema.options) {
      const type = shape.type.value;
      const section = findIn(all, type);
      const fields = Object.keys(shape).filter((key) => ![...common, ...shared].includes(key));
      expect(listCells(section).sort()).toEqual(fields.sort());
      const templates = [...section.matchAll(/^\| `(\w+)` T \|/gm)].map(([, name]) => name);
      const expected = nodeTemplateFields[type].filter((name) => name !== "for_each");
      expect(templates.sort()).toEqual([...expected].sort());
    }
    expect(all.match(/^### /gm)).toHaveLength(workflowNodeSchema.options.length);
  });

  test("The page has every operator of conditions", () => {
    const cells = listCells(findSection("## Conditions").split("| `left` and `right` |")[0] ?? "");
    expect(cells.sort()).toEqual([...conditionOperatorSchema.options, "op"].sort());
  });

  test("What the page says about two values is true", () => {
    const eq = (left: unknown, right: unknown) => checkCondition({ left, op: "eq", right });
    const lt = (left: unknown, right: unknown) => checkCondition({ left, op: "lt", right });
    expect([eq(42, "42"), eq("1.0", "1"), lt("9", "10")]).toEqual([true, false, true]);
    expect(checkCondition({ left: 404, op: "matches", right: "^4" })).toBe(true);
  });

  test("The example of the page is valid", async () => {
    const [, source = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const world = { purpose: "publish", secretNames: new Set(["HOOK_KEY"]) } as const;
    expect((await validateBody(JSON.parse(source), world)).problems).toEqual([]);
  });
});

function findIn(text: string, type: string): string {
  const [, rest] = text.split(`\n### \`${type}\`\n`);
  expect({ type, isThere: rest !== undefined }).toEqual({ type, isThere: true });
  return rest?.split("\n### ")[0] ?? "";
}
