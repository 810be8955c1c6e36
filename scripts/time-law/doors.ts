import { jsonShapes, textShapes } from "../../test/support/hostile-shapes.ts";

/** One way in: what is sent for a number of bytes, by the name of the shape. */
export type Door = { name: string; bytesMax: number; asks: Record<string, (bytes: number) => Ask> };
export type Ask = { method: string; path: string; headers: Record<string, string>; body?: string };

type Doors = {
  token: string;
  mcpToken: string;
  toolId: string;
  tools: string[];
  routes: string[][];
};

const mebibyte = 1024 * 1024;
const json = { "content-type": "application/json", accept: "application/json" };
const form = {
  "content-type": "application/x-www-form-urlencoded",
  "sec-fetch-site": "same-origin",
};

/** Every meta-tool and route that the hub itself lists, and the forms. */
export function listDoors(known: Doors): Door[] {
  return [
    ...known.tools.map((tool) => toToolDoor(known, tool)),
    ...["query", "headers", "path", "body"].map((param) => toParamDoor(known, param)),
    toFrameDoor(known),
    ...known.routes.map(([method = "", path = ""]) => toRouteDoor(known, method, path)),
    ...forms.map(toFormDoor),
  ];
}

/** A form that is missing here fails the test that compares this list with the app's routes. */
export const forms = [
  "/auth/login",
  "/auth/logout",
  "/auth/password",
  "/oauth/token",
  "/oauth/revoke",
  "/oauth/register",
  "/oauth/consent/:uid",
  "/profile/applications/:id/revoke",
  "/profile/sessions/:id/end",
  "/profile/sessions/end-others",
  "/profile/tokens",
  "/profile/tokens/:id/revoke",
  "/tools/encfields",
  "/tools/encfields/decrypt",
];

function toCall({ mcpToken }: Doors, name: string, args: unknown): Ask {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  };
  const headers = { ...json, authorization: `Bearer ${mcpToken}` };
  return { method: "POST", path: "/mcp", headers, body: stringify(message) };
}

function toToolDoor(known: Doors, tool: string): Door {
  const asks: Door["asks"] = {};
  for (const [shape, make] of Object.entries(textShapes)) {
    asks[`text: ${shape}`] = (bytes) =>
      toCall(known, tool, { query: make(bytes), tool_id: make(100) });
    asks[`tool_id: ${shape}`] = (bytes) => toCall(known, tool, { tool_id: make(bytes) });
  }
  for (const [shape, make] of Object.entries(jsonShapes)) {
    asks[`arguments: ${shape}`] = (bytes) => toCall(known, tool, make(bytes));
    asks[`params: ${shape}`] = (bytes) =>
      toCall(known, tool, { tool_id: known.toolId, params: make(bytes) });
  }
  return { name: tool, bytesMax: 3.5 * mebibyte, asks };
}

function toParamDoor(known: Doors, param: string): Door {
  const asks: Door["asks"] = {};
  const call = (value: unknown) =>
    toCall(known, "hub_execute", {
      tool_id: param === "body" ? known.toolId.replace(/\/get$/, "/post") : known.toolId,
      params: { path: "/x", [param]: value },
    });
  for (const [shape, make] of Object.entries(textShapes)) {
    asks[`text: ${shape}`] = (bytes) => call(make(bytes));
  }
  if (param !== "path") {
    for (const [shape, make] of Object.entries(jsonShapes)) {
      asks[`value: ${shape}`] = (bytes) => call(make(bytes));
    }
  }
  return { name: `hub_execute ${param}`, bytesMax: 3.5 * mebibyte, asks };
}

function toFrameDoor({ mcpToken }: Doors): Door {
  const headers = { ...json, authorization: `Bearer ${mcpToken}` };
  const asks: Door["asks"] = {};
  for (const [shape, make] of Object.entries(textShapes)) {
    asks[`frame: ${shape}`] = (bytes) => ({
      method: "POST",
      path: "/mcp",
      headers,
      body: make(bytes),
    });
  }
  return { name: "a frame", bytesMax: 3.5 * mebibyte, asks };
}

const id = "00000000-0000-4000-8000-000000000000";

function toRouteDoor({ token }: Doors, method: string, path: string): Door {
  const at = path.replace("{key}", "http").replaceAll(/\{\w+\}/g, id);
  const headers = { ...json, authorization: `Bearer ${token}` };
  const asks: Door["asks"] = {};
  for (const [shape, make] of Object.entries(textShapes)) {
    asks[`address: ${shape}`] = (bytes) => ({
      method,
      path: `${at}?q=${encodeURI(make(Math.min(bytes, 2000)))}`,
      headers,
    });
  }
  if (method === "GET") return { name: `${method} ${path}`, bytesMax: 12 * 1024, asks };
  for (const [shape, make] of Object.entries(jsonShapes)) {
    asks[`body: ${shape}`] = (bytes) => ({
      method,
      path: at,
      headers,
      body: stringify(make(bytes)),
    });
    asks[`in members: ${shape}`] = (bytes) => {
      const value = make(bytes / 4);
      const body = stringify({ values: value, params: value, tags: value, version: 1, value });
      return { method, path: at, headers, body };
    };
  }
  return { name: `${method} ${path}`, bytesMax: 3.5 * mebibyte, asks };
}

function toFormDoor(path: string): Door {
  const asks: Door["asks"] = {};
  for (const [shape, make] of Object.entries(textShapes)) {
    const ask = (bytes: number, wrap: (text: string) => string) => ({
      method: "POST",
      path: path.replaceAll(/:\w+/g, id),
      headers: path === "/oauth/register" ? json : form,
      body: wrap(make(bytes)),
    });
    asks[`names: ${shape}`] = (bytes) => ask(bytes, (text) => text);
    asks[`value: ${shape}`] = (bytes) =>
      ask(bytes - 100, (text) => `csrf=${encodeURIComponent(text)}`.slice(0, bytes));
  }
  return { name: `form ${path}`, bytesMax: 64 * 1024, asks };
}

function stringify(value: unknown): string {
  return JSON.stringify(value);
}
