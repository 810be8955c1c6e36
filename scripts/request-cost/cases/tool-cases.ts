import type { Members } from "./members.ts";

export const toolCases: Record<string, Members> = {
  hub_list: { rows: false, row: "Law", connector: "http", offset: 0, limit: 20 },
  hub_search: { query: "issues", limit: 20, offset: 0, schemas: true },
  hub_get: { tool_id: "ID", row: "Law", operation: "get", tool_ids: ["ID"] },
  hub_execute: {
    tool_id: "ID",
    row: "Law",
    operation: "get",
    params: {},
    fields: ["body.items.*.title"],
    pending_id: "ID",
    account: "work",
  },
  hub_read: {
    tool_id: "ID",
    row: "Law",
    operation: "get",
    params: {},
    fields: ["body.items.*.title"],
    pending_id: "ID",
    account: "work",
    calls: [{ tool_id: "ID", params: {} }],
    ordered: true,
    stop_on_error: true,
  },
  hub_info: {},
  hub_encrypt: {},
  hub_decrypt: {},
};

/** Params of the operation that sends all its params to an outside API. */
export const paramCases: Members = { path: "/x", query: {}, headers: {}, body: {} };
