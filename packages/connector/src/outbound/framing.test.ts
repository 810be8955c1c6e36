import { describe, expect, test } from "bun:test";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
} from "./guarded-fetch.ts";
import { OutboundError } from "./outbound-error.ts";
import { type ByteServer, serveBytes } from "./testing/serve-bytes.ts";

const createFetch = (options: Partial<GuardedFetchOptions> = {}) =>
  createGuardedFetch({ policy: { savedHosts: [], allow: ["127.0.0.1"] }, ...options });

async function send(
  { port }: ByteServer,
  guardedFetch: GuardedFetch,
  path: string,
  init: RequestInit = {},
): Promise<void> {
  await (await guardedFetch(`http://127.0.0.1:${port}${path}`, init)).text();
}

const smuggled = "POST /smuggled HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n";

function createForm(): FormData {
  const form = new FormData();
  form.set("a", "1 & 2");
  form.set("file", new File([smuggled], "a.txt"));
  return form;
}

const bodies: Record<string, () => RequestInit["body"]> = {
  "no body": () => undefined,
  "an empty text": () => "",
  text: () => smuggled,
  JSON: () => JSON.stringify({ ids: [1], text: "grüße" }),
  "a form": () => new URLSearchParams({ a: "1 & 2", b: smuggled }),
  multipart: createForm,
  bytes: () => Uint8Array.from([0, 13, 10, 13, 10, 255]),
  "a stream": () => new Response(smuggled).body,
};

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "QUERY"];

describe.each(methods)("the body of %s", (method) => {
  const isBodiless = method === "GET" || method === "HEAD";
  const needsLength = ["POST", "PUT", "PATCH"].includes(method);

  test.each(
    Object.entries(bodies),
  )("The end of its body is known to the server: %s", async (kind, toBody) => {
    await using server = await serveBytes();
    const guardedFetch = createFetch({ reusesBriefly: true });
    const body = toBody();
    const isRefused = isBodiless && kind !== "no body" && kind !== "an empty text";
    const init = { method, ...(body !== undefined && { body }) };
    const sent = send(server, guardedFetch, "/first", init);
    if (isRefused) await expect(sent).rejects.toMatchObject({ code: "blocked" });
    else await sent;
    await send(server, guardedFetch, "/next", { headers: { "x-key": "k" } });
    expect(server.faults).toEqual([]);
    expect(server.requests.map(({ target }) => target)).toEqual(
      isRefused ? ["/next"] : ["/first", "/next"],
    );
    const [first] = server.requests;
    if (isRefused || first === undefined) return;
    expect(first.method).toBe(method);
    if (needsLength) expect(first.framing).toBe("length");
    if (body instanceof FormData) expect(first.body.toString()).toContain(smuggled);
    else expect(first.body).toEqual(Buffer.from(await new Response(toBody()).arrayBuffer()));
  });
});

test("A Request with a body and a method in lower case is framed, and one of GET is refused", async () => {
  await using server = await serveBytes();
  const guardedFetch = createFetch();
  const url = `http://127.0.0.1:${server.port}/`;
  await (await guardedFetch(new Request(url, { method: "delete", body: smuggled }))).text();
  await (await guardedFetch(url, { method: "delete", body: smuggled })).text();
  const refused = guardedFetch(new Request(url, { method: "GET", body: smuggled }));
  await expect(refused).rejects.toBeInstanceOf(OutboundError);
  expect(server.faults).toEqual([]);
  expect(server.requests.map(({ body }) => body.toString())).toEqual([smuggled, smuggled]);
});

describe("kept connections", () => {
  test("Two pools share no connection, and each keeps its own", async () => {
    await using server = await serveBytes();
    const connections: Record<string, Set<number>> = { a: new Set(), b: new Set() };
    for (let round = 0; round < 4; round += 1) {
      for (const pool of ["a", "b"]) {
        await send(server, createFetch({ pool }), "/", { method: round % 2 ? "DELETE" : "GET" });
        connections[pool]?.add(server.requests.at(-1)?.connection ?? 0);
      }
    }
    expect([connections.a?.size, connections.b?.size]).toEqual([1, 1]);
    expect(connections.a).not.toEqual(connections.b);
  });

  test("Two fetches without a pool share no connection", async () => {
    await using server = await serveBytes();
    await send(server, createFetch(), "/");
    await send(server, createFetch(), "/");
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });
});
