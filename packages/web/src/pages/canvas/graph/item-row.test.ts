import { expect, test } from "bun:test";
import { findOperationKey, findRowId, findWantedConnector } from "./item-row.ts";

test("A node names the row and the operation that it calls, or the connector of one that is still to be chosen", () => {
  const row = "0190a1b2-0000-7000-8000-000000000001";
  const item = { id: "a", type: "operation", tool_id: `conn:${row.toUpperCase()}/get` };
  const wanted = { ...item, tool_id: "choose:slack_bot/post#chat" };
  expect([findRowId(item), findOperationKey(item), findWantedConnector(item)]).toEqual([
    row,
    "get",
    null,
  ]);
  expect([findRowId(wanted), findOperationKey(wanted), findWantedConnector(wanted)]).toEqual([
    null,
    "choose:slack_bot/post#chat",
    "slack_bot",
  ]);
  for (const other of [
    { ...item, type: "http" },
    { ...item, tool_id: 7 },
  ]) {
    expect([findRowId(other), findWantedConnector(other)]).toEqual([null, null]);
  }
});
