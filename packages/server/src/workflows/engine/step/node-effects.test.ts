import { expect, test } from "bun:test";
import { workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { findEffects, type OperationFacts } from "./node-effects.ts";

const effectsOf = (node: object, operation?: OperationFacts) =>
  findEffects(workflowNodeSchema.parse({ id: "a", ...node }), operation);
const call = { type: "operation", tool_id: "conn:a/b" };
const post = { type: "http", url: "https://example.com", method: "POST" };
const message = { type: "channel", channel: "slack", op: "send_message" };

test("Only a destructive or unknown operation changes something, and it may say that a repetition does no harm", () => {
  expect(effectsOf(call, { destructive: false })).toEqual({ changes: false, repeats: "none" });
  expect(effectsOf(call)).toEqual({ changes: true, repeats: "once" });
  expect(effectsOf(call, { destructive: true })).toEqual({ changes: true, repeats: "once" });
  const repeatable = { changes: true, repeats: "repeatable" } as const;
  expect(effectsOf(call, { destructive: true, idempotent: true })).toEqual(repeatable);
  expect(effectsOf({ ...call, repeat: true }, { destructive: true })).toEqual(repeatable);
});

test("Only GET and HEAD of http change nothing", () => {
  expect(effectsOf(post)).toEqual({ changes: true, repeats: "once" });
  expect(effectsOf({ ...post, repeat: true }).repeats).toBe("repeatable");
  for (const method of ["GET", "HEAD"]) expect(effectsOf({ ...post, method }).changes).toBeFalse();
});

test("Messages, other workflows and answers change something, and what computes does not", () => {
  expect(effectsOf(message, { destructive: false })).toEqual({ changes: true, repeats: "none" });
  const stored = { changes: true, repeats: "none" } as const;
  expect(effectsOf({ type: "workflow", workflow_id: "other" })).toEqual(stored);
  expect(effectsOf({ type: "webhook_respond" })).toEqual(stored);
  for (const node of [
    { type: "set", value: 1 },
    { type: "wait", seconds: 1 },
  ]) {
    expect(effectsOf(node)).toEqual({ changes: false, repeats: "none" });
  }
});
