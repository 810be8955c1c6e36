import { jsonShapes, textShapes } from "../../test/support/hostile-shapes.ts";
import { formCases, type PathName, paramCases, pathNames, routeCases, toolCases } from "./cases.ts";
import type { Stage } from "./open-stage.ts";

/** One way in: what is sent for a number of bytes, by the name of the shape. */
export type Door = {
  name: string;
  bytesMax: number;
  /** What it may cost besides, such as the hash of a password. */
  cpuMsBeside: number;
  isEnd: boolean;
  asks: Record<string, (bytes: number) => Ask | Promise<Ask>>;
};
export type Ask = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Of what is read because of it, where that is not the body. */
  bytes?: number;
};

const mebibyte = 1024 * 1024;
const bodyBytesMax = 3.5 * mebibyte;
const json = { "content-type": "application/json", accept: "application/json" };
const hashMs = 1_500;

/** Every tool, route and form of the cases, each of their members, and the answers of outside systems. */
export function listDoors(stage: Stage): Door[] {
  const doors = [
    ...Object.entries(toolCases).map(([tool, args]) => toToolDoor(stage, tool, args)),
    toParamDoor(stage),
    toFrameDoor(stage),
    ...stage.answerShapes.map((shape) => toAnswerDoor(stage, shape)),
    ...Object.keys(routeCases).map((route) => toRouteDoor(stage, route)),
    ...Object.keys(formCases).map((path) => toFormDoor(stage, path)),
  ];
  return [...doors.filter(({ isEnd }) => !isEnd), ...doors.filter(({ isEnd }) => isEnd)];
}

/** Each member in turn with each shape, and all shapes in place of the whole. */
function* listHostile(
  members: Record<string, unknown>,
): Generator<[name: string, make: (bytes: number) => unknown]> {
  for (const [shape, make] of Object.entries(jsonShapes)) yield [`whole: ${shape}`, make];
  for (const [member, value] of Object.entries(members)) {
    const isText = typeof value === "string";
    for (const [shape, make] of Object.entries(isText ? textShapes : jsonShapes)) {
      yield [`${member}: ${shape}`, (bytes) => ({ ...members, [member]: make(bytes) })];
    }
    // A list or an object may hold long texts.
    if (typeof value !== "object") continue;
    for (const shape of ["mixed escapes", "value tokens that nobody made"]) {
      const make = textShapes[shape] ?? (() => "");
      const wrap = (text: string) => (Array.isArray(value) ? [text] : { base_url: text });
      yield [
        `${member}, within: ${shape}`,
        (bytes) => ({ ...members, [member]: wrap(make(bytes)) }),
      ];
    }
  }
}

function toCall({ mcpToken }: Stage, name: string, args: unknown): Ask {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  };
  const headers = { ...json, authorization: `Bearer ${mcpToken}` };
  return { method: "POST", path: "/mcp", headers, body: JSON.stringify(message) };
}

function toToolDoor(stage: Stage, tool: string, given: Record<string, unknown>): Door {
  const args = fill(given, stage.toolId);
  const asks: Door["asks"] = {};
  for (const [name, make] of listHostile(args)) {
    asks[name] = (bytes) => toCall(stage, tool, make(bytes));
  }
  return { name: tool, bytesMax: bodyBytesMax, cpuMsBeside: 0, isEnd: false, asks };
}

function toParamDoor(stage: Stage): Door {
  const asks: Door["asks"] = {};
  const call = (params: unknown, operation: string) => {
    const toolId = stage.toolId.replace(/\/get$/, `/${operation}`);
    return toCall(stage, "hub_execute", { tool_id: toolId, params });
  };
  for (const [name, make] of listHostile(paramCases)) {
    asks[name] = (bytes) => call(make(bytes), name.startsWith("body") ? "post" : "get");
  }
  return { name: "hub_execute params", bytesMax: bodyBytesMax, cpuMsBeside: 0, isEnd: false, asks };
}

function toFrameDoor({ mcpToken }: Stage): Door {
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
  return { name: "a frame", bytesMax: bodyBytesMax, cpuMsBeside: 0, isEnd: false, asks };
}

function toAnswerDoor(stage: Stage, shape: string): Door {
  const ask = (bytes: number) => {
    const params = { path: `/${shape}/${Math.floor(bytes)}` };
    return { ...toCall(stage, "hub_execute", { tool_id: stage.toolId, params }), bytes };
  };
  return {
    name: `answer ${shape}`,
    bytesMax: 15 * mebibyte,
    cpuMsBeside: 0,
    isEnd: false,
    asks: { answer: ask },
  };
}

/** Longer addresses are refused by the server itself. */
const addressBytesMax = 12 * 1024;

function toRouteDoor(stage: Stage, route: string): Door {
  const { query = {}, body, isEnd = false } = routeCases[route] ?? {};
  const [method = "", path = ""] = route.split(" ");
  const names = isEnd ? stage.spares : stage.ids;
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isPathName(name)) throw new Error(`The path ${path} names ${name}, which has no case`);
    return names[name];
  });
  const headers = { ...json, authorization: `Bearer ${stage.manageToken}` };
  const asks: Door["asks"] = {};
  const known = fill(query, stage.ids.user);
  for (const member of ["unknown", ...Object.keys(known)]) {
    for (const [shape, make] of Object.entries(textShapes)) {
      asks[`?${member}: ${shape}`] = (bytes) => {
        const text = make(Math.min(bytes, addressBytesMax) / 3);
        const search = new URLSearchParams({ ...toTexts(known), [member]: text });
        return { method, path: `${at}?${search}`.slice(0, addressBytesMax), headers };
      };
    }
  }
  for (const [name, make] of method === "GET" ? [] : listHostile(body ?? {})) {
    asks[`body, ${name}`] = (bytes) => ({
      method,
      path: at,
      headers,
      body: JSON.stringify(make(bytes)),
    });
  }
  const bytesMax = method === "GET" ? addressBytesMax : bodyBytesMax;
  const cpuMsBeside = route.endsWith("one-time-password") ? hashMs : 0;
  return { name: route, bytesMax, cpuMsBeside, isEnd, asks };
}

function toFormDoor(stage: Stage, path: string): Door {
  const { fields, isEnd = false, kind } = formCases[path] ?? { fields: {} };
  const asks: Door["asks"] = {};
  let opened: Promise<{ path: string; headers: Record<string, string>; csrf: string }> | null =
    null;
  const open = () => {
    opened ??=
      kind === "of a client"
        ? Promise.resolve({ path, headers: formHeaders, csrf: "" })
        : stage.openForm(path);
    return opened;
  };
  const valid = fill(fields, stage.clientId);
  for (const member of ["csrf", "unknown", ...Object.keys(valid)]) {
    for (const [shape, make] of Object.entries(textShapes)) {
      asks[`${member}: ${shape}`] = async (bytes) => {
        const { path: at, headers, csrf } = await open();
        const text = make(bytes / 3);
        if (path === "/oauth/register") {
          const body = JSON.stringify({ ...valid, [member]: text });
          return { method: "POST", path: at, headers: json, body };
        }
        const body = new URLSearchParams({ csrf, ...toTexts(valid), [member]: text }).toString();
        return { method: "POST", path: at, headers, body: body.slice(0, bytes) };
      };
    }
  }
  for (const [shape, make] of Object.entries(textShapes)) {
    asks[`names: ${shape}`] = async (bytes) => {
      const { path: at, headers, csrf } = await open();
      const body = `csrf=${encodeURIComponent(csrf)}&${make(bytes - 100)}`;
      return { method: "POST", path: at, headers, body };
    };
  }
  const cpuMsBeside = kind === "hashes" ? hashMs : 0;
  return { name: `form ${path}`, bytesMax: 64 * 1024, cpuMsBeside, isEnd, asks };
}

const formHeaders = {
  "content-type": "application/x-www-form-urlencoded",
  "sec-fetch-site": "same-origin",
};

function isPathName(name: string): name is PathName {
  return (pathNames as readonly string[]).includes(name);
}

/** The same members, with something that is there for each `ID`. */
function fill(members: Record<string, unknown>, id: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, value === "ID" ? id : value]),
  );
}

function toTexts(members: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(members).filter(([, value]) => value !== "");
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
