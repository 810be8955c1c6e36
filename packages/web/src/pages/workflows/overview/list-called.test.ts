import { expect, test } from "bun:test";
import { listCalled } from "./list-called.ts";

test("What a body calls is listed once, and what cannot be read is left out", () => {
  const row = "0190a1b2-0000-7000-8000-000000000001";
  const called = listCalled({
    nodes: [
      { id: "a", type: "operation", tool_id: `conn:${row}/get` },
      { id: "b", type: "operation", tool_id: `conn:${row}/post` },
      { id: "c", type: "operation", tool_id: `conn:${row}/get` },
      { id: "d", type: "operation", tool_id: "choose:http/post#chat" },
      { id: "e", type: "http", method: "POST", url: "https://pay.example/v1?key={{.Secret.KEY}}" },
      { id: "f", type: "workflow", workflow_id: "reports" },
      { id: "g", type: "channel", channel: "ops" },
      { id: "h", type: "http", url: 5 },
      { id: "i", type: "set", value: 1 },
    ],
  });
  expect(called).toEqual({
    rows: [{ id: row, operations: ["get", "post"] }],
    workflows: ["reports"],
    others: [
      "An operation that is still to be chosen (http/post#chat)",
      "POST https://pay.example/v1",
      "Messages to the channel ops",
    ],
  });
  expect(listCalled(null)).toEqual({ rows: [], workflows: [], others: [] });
});
