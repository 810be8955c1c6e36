import type { Members } from "./members.ts";

/** What is sent to a route of the management API. */
export type RouteCase = {
  query?: Members;
  body?: Members;
  /** The request deletes its target, so it uses a spare target and is sent after the others. */
  isEnd?: true;
};

export const none: RouteCase = {};
export const end: RouteCase = { isEnd: true };
export const runFilters = {
  user: "ID",
  status: "error",
  source: "mcp",
  operation: "get",
  code: "timeout",
  error: "x",
  cause_id: "ID",
  from: "",
  to: "",
};
export const pages = { before: "", limit: 20 };
export const runPages = { ...pages, grouped: "true" };
export const list = { after: "", limit: 20 };
