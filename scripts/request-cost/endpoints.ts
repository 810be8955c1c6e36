import { jsonShapes, textShapes } from "../../test/support/hostile-shapes.ts";
import { formCases, type PathName, paramCases, pathNames, routeCases, toolCases } from "./cases.ts";
import type { CostFixture } from "./open-cost-fixture.ts";

/** One endpoint, with a function for each shape that makes a request of the given size. */
export type Endpoint = {
  name: string;
  bytesMax: number;
  /** Additional processor time, for example for the hash of a password. */
  cpuMsExtra: number;
  isEnd: boolean;
  requests: Record<string, (bytes: number) => RequestSpec | Promise<RequestSpec>>;
};
export type RequestSpec = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The size of the processed data, if it is not the body. */
  bytes?: number;
};

const mebibyte = 1024 * 1024;
const bodyBytesMax = 3.5 * mebibyte;
const json = { "content-type": "application/json", accept: "application/json" };
const hashMs = 1_500;

/** Lists every tool, route and form of the cases, and the answers of outside systems. */
export function listEndpoints(fixture: CostFixture): Endpoint[] {
  const endpoints = [
    ...Object.entries(toolCases).map(([tool, args]) => toToolEndpoint(fixture, tool, args)),
    toParamEndpoint(fixture),
    toFrameEndpoint(fixture),
    ...fixture.answerShapes.map((shape) => toAnswerEndpoint(fixture, shape)),
    ...Object.keys(routeCases).map((route) => toRouteEndpoint(fixture, route)),
    ...Object.keys(formCases).map((path) => toFormEndpoint(fixture, path)),
  ];
  return [...endpoints.filter(({ isEnd }) => !isEnd), ...endpoints.filter(({ isEnd }) => isEnd)];
}

/** Replaces each member in turn by each shape, and the whole object by each shape. */
function* listHostile(
  members: Record<string, unknown>,
): Generator<[name: string, make: (bytes: number) => unknown]> {
  for (const [shape, make] of Object.entries(jsonShapes)) yield [`whole: ${shape}`, make];
  for (const [member, value] of Object.entries(members)) {
    const isText = typeof value === "string";
    for (const [shape, make] of Object.entries(isText ? textShapes : jsonShapes)) {
      yield [`${member}: ${shape}`, (bytes) => ({ ...members, [member]: make(bytes) })];
    }
    // An array or an object may contain long texts.
    if (typeof value !== "object") continue;
    for (const shape of ["mixed escapes", "forged value tokens"]) {
      const make = textShapes[shape] ?? (() => "");
      const wrap = (text: string) => (Array.isArray(value) ? [text] : { base_url: text });
      yield [
        `${member}, within: ${shape}`,
        (bytes) => ({ ...members, [member]: wrap(make(bytes)) }),
      ];
    }
  }
}

function toCall({ mcpToken }: CostFixture, name: string, args: unknown): RequestSpec {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  };
  const headers = { ...json, authorization: `Bearer ${mcpToken}` };
  return { method: "POST", path: "/mcp", headers, body: JSON.stringify(message) };
}

function toToolEndpoint(
  fixture: CostFixture,
  tool: string,
  given: Record<string, unknown>,
): Endpoint {
  const args = fill(given, fixture.toolId);
  const requests: Endpoint["requests"] = {};
  for (const [name, make] of listHostile(args)) {
    requests[name] = (bytes) => toCall(fixture, tool, make(bytes));
  }
  return { name: tool, bytesMax: bodyBytesMax, cpuMsExtra: 0, isEnd: false, requests };
}

function toParamEndpoint(fixture: CostFixture): Endpoint {
  const requests: Endpoint["requests"] = {};
  const call = (params: unknown, operation: string) => {
    const toolId = fixture.toolId.replace(/\/get$/, `/${operation}`);
    return toCall(fixture, "hub_execute", { tool_id: toolId, params });
  };
  for (const [name, make] of listHostile(paramCases)) {
    requests[name] = (bytes) => call(make(bytes), name.startsWith("body") ? "post" : "get");
  }
  return {
    name: "hub_execute params",
    bytesMax: bodyBytesMax,
    cpuMsExtra: 0,
    isEnd: false,
    requests,
  };
}

function toFrameEndpoint({ mcpToken }: CostFixture): Endpoint {
  const headers = { ...json, authorization: `Bearer ${mcpToken}` };
  const requests: Endpoint["requests"] = {};
  for (const [shape, make] of Object.entries(textShapes)) {
    requests[`frame: ${shape}`] = (bytes) => ({
      method: "POST",
      path: "/mcp",
      headers,
      body: make(bytes),
    });
  }
  return { name: "a frame", bytesMax: bodyBytesMax, cpuMsExtra: 0, isEnd: false, requests };
}

function toAnswerEndpoint(fixture: CostFixture, shape: string): Endpoint {
  const toRequest = (bytes: number) => {
    const params = { path: `/${shape}/${Math.floor(bytes)}` };
    return { ...toCall(fixture, "hub_execute", { tool_id: fixture.toolId, params }), bytes };
  };
  return {
    name: `answer ${shape}`,
    bytesMax: 15 * mebibyte,
    cpuMsExtra: 0,
    isEnd: false,
    requests: { answer: toRequest },
  };
}

/** The HTTP server refuses longer addresses. */
const addressBytesMax = 12 * 1024;

function toRouteEndpoint(fixture: CostFixture, route: string): Endpoint {
  const { query = {}, body, isEnd = false } = routeCases[route] ?? {};
  const [method = "", path = ""] = route.split(" ");
  const names = isEnd ? fixture.spares : fixture.ids;
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isPathName(name))
      throw new Error(`The path ${path} has the parameter ${name}, which has no case`);
    return names[name];
  });
  const headers = { ...json, authorization: `Bearer ${fixture.manageToken}` };
  const requests: Endpoint["requests"] = {};
  const known = fill(query, fixture.ids.user);
  for (const member of ["unknown", ...Object.keys(known)]) {
    for (const [shape, make] of Object.entries(textShapes)) {
      requests[`?${member}: ${shape}`] = (bytes) => {
        const text = make(Math.min(bytes, addressBytesMax) / 3);
        const search = new URLSearchParams({ ...toTexts(known), [member]: text });
        return { method, path: `${at}?${search}`.slice(0, addressBytesMax), headers };
      };
    }
  }
  for (const [name, make] of method === "GET" ? [] : listHostile(body ?? {})) {
    requests[`body, ${name}`] = (bytes) => ({
      method,
      path: at,
      headers,
      body: JSON.stringify(make(bytes)),
    });
  }
  const bytesMax = method === "GET" ? addressBytesMax : bodyBytesMax;
  const cpuMsExtra = route.endsWith("one-time-password") ? hashMs : 0;
  return { name: route, bytesMax, cpuMsExtra, isEnd, requests };
}

function toFormEndpoint(fixture: CostFixture, path: string): Endpoint {
  const { fields, isEnd = false, kind } = formCases[path] ?? { fields: {} };
  const requests: Endpoint["requests"] = {};
  let opened: Promise<{ path: string; headers: Record<string, string>; csrf: string }> | null =
    null;
  const open = () => {
    opened ??=
      kind === "of a client"
        ? Promise.resolve({ path, headers: formHeaders, csrf: "" })
        : fixture.openForm(path);
    return opened;
  };
  const valid = fill(fields, fixture.clientId);
  for (const member of ["csrf", "unknown", ...Object.keys(valid)]) {
    for (const [shape, make] of Object.entries(textShapes)) {
      requests[`${member}: ${shape}`] = async (bytes) => {
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
    requests[`names: ${shape}`] = async (bytes) => {
      const { path: at, headers, csrf } = await open();
      const body = `csrf=${encodeURIComponent(csrf)}&${make(bytes - 100)}`;
      return { method: "POST", path: at, headers, body };
    };
  }
  const cpuMsExtra = kind === "hashes" ? hashMs : 0;
  return { name: `form ${path}`, bytesMax: 64 * 1024, cpuMsExtra, isEnd, requests };
}

const formHeaders = {
  "content-type": "application/x-www-form-urlencoded",
  "sec-fetch-site": "same-origin",
};

function isPathName(name: string): name is PathName {
  return (pathNames as readonly string[]).includes(name);
}

/** Replaces `ID` by an existing id. */
function fill(members: Record<string, unknown>, id: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, value === "ID" ? id : value]),
  );
}

function toTexts(members: Record<string, unknown>): Record<string, string> {
  const given = Object.entries(members).filter(([, value]) => value !== "");
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
