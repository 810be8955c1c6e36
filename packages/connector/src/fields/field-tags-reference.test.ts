import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { defineConnector } from "../define-connector.ts";
import { type Field, type FieldRecord, wick } from "../field-tags.ts";
import { modifierAttributes } from "./read-modifiers.ts";
import { widgetAttributes } from "./read-widget.ts";
import { toWireKey } from "./wire-key.ts";

const reference = readFileSync(
  new URL("../../../../docs/reference/field-tags.md", import.meta.url),
  "utf8",
);

test("Every example of the reference defines a valid field", () => {
  const config = readExamples();
  const definition = defineConnector({
    key: "reference",
    name: "Reference",
    icon: "book",
    tier: "plugin",
    description: "Holds every example.",
    config,
    operations: {
      show_orgs: {
        description: "Shows organisations.",
        configOnly: true,
        run: () => ({ html: "" }),
      },
    },
    lookup: () => [],
    generators: { HookSecret: () => "fresh" },
  });
  expect(definition.configFields.length).toBeGreaterThan(35);
});

test("Every attribute has an example in the reference", () => {
  const tags = Object.values(readExamples()).map(({ tag }) => `;${tag}`);
  for (const name of [...widgetAttributes, ...modifierAttributes]) {
    const attribute = new RegExp(`;${name}(;|=|$)`);
    expect([name, tags.some((tag) => attribute.test(tag))]).toEqual([name, true]);
  }
});

test("Every key in the reference is the derived one", () => {
  const [, table = ""] = reference.split(/\| name \| key \||## Widgets/);
  const rows = [...table.matchAll(/^\| (\w+) \| (\w+) \|$/gm)];
  expect(rows).toHaveLength(6);
  for (const [, name = "", key = ""] of rows) expect([name, toWireKey(name)]).toEqual([name, key]);
});

/**
 * The lines `Name: wick.base("tag"),` of the reference. If a name occurs twice, the later line
 * counts.
 */
function readExamples(): FieldRecord {
  const line = /^ *(\w+): (wick(?:\.\w+)?)\((?:"(.*)"|'(.*)')?\),$/gm;
  const fields = [...reference.matchAll(line)].map(
    ([, name = "", base = "", double, single = ""]): [string, Field] => [
      name,
      // A TypeScript string in double quotes without \u or \x is a JSON string.
      toField(base, double === undefined ? single : String(JSON.parse(`"${double}"`))),
    ],
  );
  return Object.fromEntries(fields);
}

function toField(base: string, tag: string): Field {
  if (base === "wick.int") return wick.int(tag);
  if (base === "wick.float") return wick.float(tag);
  if (base === "wick.bool") return wick.bool(tag);
  if (base === "wick.json") return wick.json(tag);
  if (base === "wick") return wick(tag);
  throw new Error(`The reference uses ${base}.`);
}
