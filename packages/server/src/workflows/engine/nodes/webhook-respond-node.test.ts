import { expect, test } from "bun:test";
import type { NodeOf } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import type { StepContext } from "../step/open-step.ts";
import { detectType, openWebhookRespond } from "./webhook-respond-node.ts";

const plain = "text/plain; charset=utf-8";

test.each([
  ['{"a":1}', "application/json"],
  [" [1] ", "application/json"],
  ["12", "application/json"],
  ["hello", plain],
  ['{"a":', plain],
  ["[1] and more", plain],
])("A short body %p is %s", (body, type) => {
  expect(detectType(body)).toBe(type);
});

test.each([
  [`["${"x".repeat(2_000_000)}"]\n`, "application/json"],
  [`["${"x".repeat(2_000_000)}`, plain],
  // Parsing these levels would take a second.
  ["[".repeat(9_000_000), plain],
  [`${"[".repeat(20_000)}${"]".repeat(20_000)}`, "application/json"],
  [`{${" ".repeat(9_000_000)}`, plain],
])("A long body, case %#, is told by its first and last character", (body, type) => {
  expect(detectType(body)).toBe(type);
});

test.each([
  "Set-Cookie",
  "X-Sendfile",
  "Refresh",
  "X Y",
  "Location",
])("In a workflow that was published before, the header %s is an error of the node", (name) => {
  const ctx = { render: (value) => value } as Partial<StepContext> as StepContext;
  const node: NodeOf<"webhook_respond"> = {
    id: "a",
    type: "webhook_respond",
    disabled: false,
    on_error: "fail",
    respond_status: 200,
    respond_body: "",
    respond_headers: { [name]: "/x" },
  };
  expect(() => openWebhookRespond(ctx, node)).toThrow(HubError);
});
