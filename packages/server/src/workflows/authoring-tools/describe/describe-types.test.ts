import { expect, test } from "bun:test";
import { workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { z } from "zod";
import { describeNodeTypes } from "./describe-types.ts";

const types = workflowNodeSchema.options.map((option) => option.shape.type.value);

type Schema = { properties: Record<string, object>; required: string[]; $defs: object };

/** The schema of the node alone, of `{$ref, $defs}`. */
function open(schema: object): Schema {
  // Safe: it was made by zod, from an object with an id.
  const { $ref, $defs } = schema as { $ref: string; $defs: Record<string, Schema> };
  const found = $defs[$ref.replace("#/$defs/", "")];
  if (found === undefined) throw new Error(`There is no ${$ref}.`);
  return found;
}

test("The schema of a node type has all its fields, and differs from the whole one in those of every node only", () => {
  const { node_types, every_node } = describeNodeTypes(types.join());
  expect(node_types.map(({ type }) => type)).toEqual(types);
  for (const [at, option] of workflowNodeSchema.options.entries()) {
    const own = open(node_types[at]?.schema ?? {});
    const whole = open(z.toJSONSchema(option, { io: "input" }));
    const emptied = Object.entries(whole.properties).map(([name, schema]) => [
      name,
      Object.hasOwn(every_node, name) ? {} : schema,
    ]);
    expect(own).toEqual({ ...whole, properties: Object.fromEntries(emptied) });
  }
});

test("The example of each node type is a valid node", () => {
  const types = describeNodeTypes(undefined).node_types;
  expect(types).toHaveLength(workflowNodeSchema.options.length);
  for (const { example } of types) {
    expect(workflowNodeSchema.safeParse(example).error?.issues).toBeUndefined();
  }
});

test("A list without a name describes all types, as no list does", () => {
  expect(describeNodeTypes(" , ")).toEqual(describeNodeTypes(undefined));
});
