import { expect, test } from "bun:test";
import { parseFields, wick } from "@hub/connector";
import { validateBody } from "../validate-body.ts";
import type { FoundOperation, ValidationWorld } from "../validation-world.ts";

const inputFields = parseFields("The test", {
  Repo: wick("required"),
  Number: { base: "integer", tag: "required" },
  State: wick("dropdown=open|closed;default=open"),
  Reason: wick("required;visible_when=state:closed"),
  Draft: { base: "boolean", tag: "" },
});

/** The problems of an operation node with these params. */
async function find(
  params: Record<string, unknown>,
  {
    disabled = null,
    missing = [],
    purpose = "publish",
  }: Partial<FoundOperation & ValidationWorld> = {},
) {
  const toolId = "conn:00000000-0000-4000-8000-000000000000/close";
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "a" }],
    nodes: [{ id: "a", type: "operation", tool_id: toolId, params }],
  };
  const findOperation = () => ({ inputFields, disabled, missing });
  const { problems } = await validateBody(body, { purpose, findOperation });
  return problems.map(({ severity, path, message, hint }) => [
    severity,
    path.replace("/nodes/0", ""),
    message,
    hint,
  ]);
}
const toShort = (found: string[][]) => found.map(([, path, message]) => `${path}: ${message}`);

test("Constants that the operation accepts have no problems", async () => {
  expect(await find({ repo: "hub", number: 3 })).toEqual([]);
  expect(
    await find({ repo: "hub", number: "3", state: "closed", reason: "x", draft: true }),
  ).toEqual([]);
});

test("An unknown param is an error of publishing, with the one that was meant, and a warning in a draft", async () => {
  const params = { repo: "hub", number: 3, numbr: 4 };
  const rest = ["/params/numbr", 'The operation has no param "numbr".', 'Did you mean "number"?'];
  expect(await find(params)).toEqual([["error", ...rest]]);
  expect(await find(params, { purpose: "draft" })).toEqual([["warning", ...rest]]);
});

test("A required param that is missing and a constant of the wrong type are errors", async () => {
  expect(toShort(await find({ number: "three", state: "opened" }))).toEqual([
    '/params/number: The param "number" must be a whole number.',
    expect.stringContaining('/params/state: The param "state" must be one of'),
    '/params/repo: The param "repo" is required.',
  ]);
});

test("What contains a template or an encrypted value is checked when it runs", async () => {
  expect(
    await find({
      repo: "{{.Event.Payload.repo}}",
      number: "{{.Event.Payload.n}}",
      draft: "hub_enc_x",
      state: "{{.Event.Payload.state}}",
    }),
  ).toEqual([]);
});

test("A param that another one makes required is missing only if that one is known", async () => {
  expect(toShort(await find({ repo: "hub", number: 3, state: "closed" }))).toEqual([
    '/params/reason: The param "reason" is required.',
  ]);
  expect(await find({ repo: "hub", number: 3, state: "{{.Event.Payload.state}}" })).toEqual([]);
});

test("More than 20 unknown params are counted", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`x${at}`, at]));
  const found = toShort(await find({ repo: "hub", number: 3, ...unknown }));
  expect(found).toHaveLength(21);
  expect(found.at(-1)).toBe("/params: The operation lacks 5 more of the params.");
});

test.each([
  ["connector", "An admin has disabled the connector of this node, so it fails."],
  ["row", "An admin has disabled the row of this node, so it fails."],
  ["operation", "An admin has disabled the operation of this node, so it fails."],
] as const)("An operation whose %s is disabled is a warning", async (disabled, message) => {
  const found = await find({ repo: "hub", number: 3 }, { disabled });
  expect(found.map(([severity, , text]) => [severity, text])).toEqual([["warning", message]]);
});

test("An operation whose row is not set up is a warning", async () => {
  const found = await find({ repo: "hub", number: 3 }, { missing: ["base_url", "token"] });
  const message = "The row of this node is not set up, so it fails. It lacks base_url, token.";
  expect(found.map(([severity, , text]) => [severity, text])).toEqual([["warning", message]]);
});
