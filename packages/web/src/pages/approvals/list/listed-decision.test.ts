import { expect, test } from "bun:test";
import type { PendingCall } from "@hub/contract/pending-call.ts";
import { toListed } from "./listed-decision.ts";

const call: PendingCall = {
  id: "0".repeat(32),
  reason: "approval",
  state: "expired",
  user: "ada@example.com",
  made_by: "laptop",
  row_label: "Shop",
  connector_key: "http",
  connector_name: "HTTP",
  operation: "get",
  operation_name: "GET",
  destructive: false,
  values: [],
  decider: { by: "caller" },
  deputy: null,
  rule_name: null,
  created_at: "2026-11-28T10:00:00.000Z",
  expires_at: "2026-11-28T11:00:00.000Z",
  decided_at: null,
  decided_by: null,
  comment: null,
  may_decide: false,
  refusal: null,
};

test("A call that ended before it expired is not listed with the time at which it would have expired", () => {
  expect(toListed(call).decided.at).toBe(call.expires_at);
  expect(toListed({ ...call, state: "ended" }).decided.at).toBeNull();
  expect(toListed({ ...call, state: "changed" }).decided.at).toBeNull();
  const at = "2026-11-28T10:30:00.000Z";
  expect(toListed({ ...call, state: "changed", decided_at: at }).decided.at).toBe(at);
});
