import type { Random } from "../random.ts";
import { bodyMethods, openApiBodies } from "./answer-hub.ts";
import type { PeerRequest } from "./peers.ts";
import type { FramingRows, Kind } from "./rows.ts";

/** One request that a row is asked to send, and how the outside system must see it. */
export type FramingCase = {
  /** A text that is in its target or body and in those of no other case. */
  mark: string;
  /** The credential of the row. */
  credential: string;
  method: string;
  send(): Promise<void>;
  isWhole(request: PeerRequest): boolean;
};

type Make = (rows: FramingRows, random: Random, mark: string) => FramingCase;

const texts = [
  "POST /smuggled HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
  "\r\n\r\nDELETE /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
  "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
  "x",
  "grüße 😀",
  '{"ids":[1]}',
  " ".repeat(3_000),
];

const toText = (random: Random, mark: string) => `${random.pick(texts)}|${mark}`;

/** What can be asked of each kind of row. */
export const makers: Record<Kind, Make> = {
  http(rows, random, mark) {
    const row = random.pick(rows.http);
    const operation = random.pick(["get", "head", "post", "put", "patch", "delete", "delete"]);
    const text = toText(random, mark);
    const hasBody = operation !== "get" && operation !== "head";
    const kind = hasBody ? random.pick(["none", "empty", "text", "JSON", "form"] as const) : "none";
    const type = (content_type: string) => ({ content_type });
    const [params, expected] = {
      none: [{}, ""],
      empty: [{ body: "" }, ""],
      text: [{ body: text, ...type("text/plain") }, text],
      JSON: [{ body: { ids: [1], text } }, JSON.stringify({ ids: [1], text })],
      form: [
        { body: { text }, ...type("application/x-www-form-urlencoded") },
        new URLSearchParams({ text }).toString(),
      ],
    }[kind] as [object, string];
    return {
      mark,
      credential: row.credential,
      method: operation.toUpperCase(),
      send: () => row.call(operation, { path: `/http/${mark}`, ...params }),
      isWhole: ({ target, body }) => target === `/http/${mark}` && body.toString() === expected,
    };
  },
  openapi(rows, random, mark) {
    const row = random.pick(rows.openapi);
    const kind = random.pick(openApiBodies);
    const method = random.pick(kind === "none" ? ["get", ...bodyMethods] : bodyMethods);
    const text = toText(random, mark);
    const whole = kind === "binary" ? Buffer.from(text).toString("base64") : text;
    const isFlat = kind !== "text" && kind !== "binary";
    const given = kind === "none" ? {} : isFlat ? { text } : { body: whole };
    return {
      mark,
      credential: row.credential,
      method: method.toUpperCase(),
      send: () => row.call(`${method}_${kind}`, { id: mark, ...given }),
      isWhole({ target, body }) {
        const said = body.toString();
        if (target !== `/openapi/${kind}/${mark}`) return false;
        if (kind === "none") return said === "";
        if (kind === "json") return JSON.parse(said).text === text;
        if (kind === "form") return new URLSearchParams(said).get("text") === text;
        if (kind === "multipart") return said.includes(text) && said.endsWith("--\r\n");
        return said === text;
      },
    };
  },
  mcp(rows, random, mark) {
    const row = random.pick(rows.mcp);
    const text = toText(random, mark);
    return {
      mark,
      credential: row.credential,
      method: "POST",
      send: () => row.call("say", { text }),
      isWhole: ({ body }) => JSON.parse(body.toString()).params.arguments.text === text,
    };
  },
  workflow(rows, random, mark) {
    const workflow = random.pick(rows.workflow);
    const text = toText(random, mark);
    return {
      mark,
      credential: workflow.credential,
      method: workflow.method,
      send: () => workflow.send({ id: mark, text }),
      isWhole({ target, body }) {
        const said = body.toString();
        if (target !== `/workflow/${mark}`) return false;
        return workflow.isText ? said === text : JSON.parse(said).text === text;
      },
    };
  },
  plugin(rows, random, mark) {
    const row = random.pick(rows.plugin);
    const method = random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]);
    const bodies = ["none", "text", "form", "multipart", "bytes", "stream", "request"] as const;
    const kind = method === "GET" ? "none" : random.pick(bodies);
    const text = toText(random, mark);
    return {
      mark,
      credential: row.credential,
      method,
      send: () => row.call("send", { path: `/plugin/${mark}`, method, kind, text }),
      isWhole({ target, body }) {
        const said = body.toString();
        if (target !== `/plugin/${mark}`) return false;
        if (kind === "none") return said === "";
        if (kind === "form") return new URLSearchParams(said).get("text") === text;
        if (kind === "multipart") return said.includes(text) && said.endsWith("--\r\n");
        return said === text;
      },
    };
  },
};
