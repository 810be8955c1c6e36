import { afterEach, describe, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Server } from "bun";
import { authorityPem, serverKeyPem, serverPem } from "./certificates.fixture.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";
import { OutboundError } from "./outbound-error.ts";

const open: { stop(force: boolean): unknown }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop(true);
});

type Answer = (req: Request, server: Server<undefined>) => Response | Promise<Response>;

function serve(answer: Answer, tls?: { cert: string; key: string }) {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer, ...(tls && { tls }) });
  open.push(server);
  return server;
}

/** `api.test` and `other.test` resolve to this machine, which may be called on every port. */
function createFetch(options: Partial<GuardedFetchOptions> = {}) {
  return createGuardedFetch({
    policy: { savedHosts: [], allow: ["127.0.0.1"] },
    resolve: async () => ["127.0.0.1"],
    ...options,
  });
}

/** The code of the OutboundError that the work rejects with. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "none";
  } catch (thrown) {
    if (thrown instanceof OutboundError) return thrown.code;
    throw thrown;
  }
}

/** An answer of `mebibytes` zeros, generated while it is read. */
function createFlood(mebibytes: number, onCancel = () => {}): ReadableStream<Uint8Array> {
  let left = mebibytes * 16;
  const piece = new Uint8Array(64 * 1024);
  return new ReadableStream({
    pull(controller) {
      if (left === 0) controller.close();
      else controller.enqueue(piece);
      left -= 1;
    },
    cancel: onCancel,
  });
}

describe("an allowed call", () => {
  test("A guarded call sends method, path, query, headers, body and the Host of its URL", async () => {
    const server = serve(async (req) =>
      Response.json({
        method: req.method,
        url: req.url,
        tag: req.headers.get("x-tag"),
        body: await req.text(),
      }),
    );
    const response = await createFetch()(`http://api.test:${server.port}/a%2Fb?q=1&q=%20#part`, {
      method: "POST",
      headers: { "X-Tag": "é", Host: "forged.test", "Content-Length": "1" },
      body: "grüße",
    });
    expect(await response.json()).toEqual({
      method: "POST",
      url: `http://api.test:${server.port}/a%2Fb?q=1&q=%20`,
      tag: "é",
      body: "grüße",
    });
    expect(response.url).toBe(`http://api.test:${server.port}/a%2Fb?q=1&q=%20#part`);
    expect(response.redirected).toBe(false);
  });

  test("Guarded fetch accepts forms and Request objects like the global fetch", async () => {
    const server = serve(async (req) => {
      const form = await req.formData();
      return new Response(`${req.method} ${req.headers.get("x-tag")} ${form.get("a")}`);
    });
    const url = `http://api.test:${server.port}/`;
    const body = new URLSearchParams({ a: "1 & 2" });
    const direct = await createFetch()(url, { method: "PUT", body });
    expect(await direct.text()).toBe("PUT null 1 & 2");
    const form = new FormData();
    form.set("a", "3");
    const request = new Request(url, { method: "POST", headers: { "x-tag": "t" }, body: form });
    expect(await (await createFetch()(request)).text()).toBe("POST t 3");
  });

  test("Guarded fetch returns status, headers and an optional body", async () => {
    const server = serve((req) => {
      if (req.method === "HEAD") return new Response("unseen", { headers: { etag: "e" } });
      if (req.method === "DELETE") return new Response(null, { status: 204 });
      const headers = new Headers({ "x-a": "1" });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      return new Response("no such thing", { status: 404, headers });
    });
    const url = `http://api.test:${server.port}/`;
    const missing = await createFetch()(url);
    expect([missing.status, missing.ok, await missing.text()]).toEqual([
      404,
      false,
      "no such thing",
    ]);
    expect(missing.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    const head = await createFetch()(url, { method: "HEAD" });
    expect([head.headers.get("etag"), await head.text()]).toEqual(["e", ""]);
    expect((await createFetch()(url, { method: "DELETE" })).status).toBe(204);
  });

  test("Calls reuse connections, except that a POST opens a new one", async () => {
    const server = serve((req, self) => new Response(String(self.requestIP(req)?.port)));
    const guardedFetch = createFetch();
    const portOf = async (method: string) =>
      await (await guardedFetch(`http://api.test:${server.port}/`, { method })).text();
    const first = await portOf("GET");
    expect(await portOf("GET")).toBe(first);
    expect(await portOf("POST")).not.toBe(first);
  });

  test("A POST uses the connection of an answer just now, if its caller allows it", async () => {
    const server = serve((req, self) => new Response(String(self.requestIP(req)?.port)));
    const guardedFetch = createFetch({ reusesBriefly: true });
    const post = async () =>
      await (await guardedFetch(`http://api.test:${server.port}/`, { method: "POST" })).text();
    expect(await post()).toBe(await post());
  });

  /** Ends each connection at its second request. */
  function listenForOneEach() {
    const seen = { connections: 0, requests: 0 };
    const listener = Bun.listen<{ requests: number }>({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open(socket) {
          seen.connections += 1;
          socket.data = { requests: 0 };
        },
        data(socket) {
          seen.requests += 1;
          socket.data.requests += 1;
          if (socket.data.requests > 1) socket.terminate();
          else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        },
      },
    });
    open.push(listener);
    return { url: `http://api.test:${listener.port}/`, seen };
  }

  test("A call is repeated if a kept connection turns out to be closed", async () => {
    const { url, seen } = listenForOneEach();
    const guardedFetch = createFetch();
    expect(await (await guardedFetch(url)).text()).toBe("ok");
    expect(await (await guardedFetch(url)).text()).toBe("ok");
    expect(seen).toEqual({ connections: 2, requests: 3 });
  });

  test("A POST is not repeated if the connection of the last answer turns out to be closed", async () => {
    const { url, seen } = listenForOneEach();
    const guardedFetch = createFetch({ reusesBriefly: true });
    const post = () => guardedFetch(url, { method: "POST" });
    expect(await (await post()).text()).toBe("ok");
    expect(await codeOf(post())).toBe("network");
    expect(seen).toEqual({ connections: 1, requests: 2 });
    expect(await (await post()).text()).toBe("ok");
  });

  test("A call tries the next address if one refuses the connection", async () => {
    const server = serve(() => new Response("ok"));
    const guardedFetch = createFetch({
      policy: { savedHosts: [], allow: ["127.0.0.0/8"] },
      resolve: async () => ["127.0.0.99", "127.0.0.1"],
    });
    expect(await (await guardedFetch(`http://api.test:${server.port}/`)).text()).toBe("ok");
  });
});

describe("the guard", () => {
  test("The guard refuses loopback addresses before anything is sent", async () => {
    let requests = 0;
    const server = serve(() => {
      requests += 1;
      return new Response("secret");
    });
    const guardedFetch = createFetch({ policy: { savedHosts: [], allow: [] } });
    for (const host of ["127.0.0.1", "2130706433", "[::ffff:7f00:1]", "api.test"]) {
      expect(await codeOf(guardedFetch(`http://${host}:${server.port}/`))).toBe("blocked");
    }
    expect(requests).toBe(0);
  });

  test("The guard allows the row's saved host only on the saved port", async () => {
    const server = serve(() => new Response("ok"));
    const host = `api.test:${server.port}`;
    const guardedFetch = createFetch({ policy: { savedHosts: [host], allow: [] } });
    expect(await (await guardedFetch(`http://${host}/`)).text()).toBe("ok");
    expect(await codeOf(guardedFetch(`http://other.test:${server.port}/`))).toBe("blocked");
    expect(await codeOf(guardedFetch("http://api.test:1/"))).toBe("blocked");
  });

  test("The guard connects to the checked address, so that DNS rebinding has no effect", async () => {
    const server = serve(() => new Response("ok"));
    const answers = ["127.0.0.1", "127.0.0.2"];
    const guardedFetch = createFetch({ resolve: async () => [answers.shift() ?? ""] });
    const url = `http://rebind.test:${server.port}/`;
    expect(await (await guardedFetch(url)).text()).toBe("ok");
    expect(answers).toEqual(["127.0.0.2"]);
    // The next call resolves the name again and is refused, although a connection to it is still
    // open.
    expect(await codeOf(guardedFetch(url))).toBe("blocked");
  });

  test("The guard refuses CONNECT and TRACE", async () => {
    for (const method of ["CONNECT", "TRACE"]) {
      const work = async () => await createFetch()("http://api.test/", { method });
      await expect(work()).rejects.toThrow();
    }
  });

  test("The error for an invalid URL does not quote it", async () => {
    const work = createFetch()("not a url with hunter2");
    expect(await codeOf(work)).toBe("bad_url");
    await expect(work).rejects.not.toThrow(/hunter2/);
  });

  test("An invalid HUB_OUTBOUND_ALLOW entry is named in the error", async () => {
    const guardedFetch = createFetch({ policy: { savedHosts: [], allow: ["10/8"] } });
    await expect(guardedFetch("http://api.test/")).rejects.toThrow(/"10\/8" is not a host/);
  });
});

describe("a redirect", () => {
  test("The guard checks the target of a redirect", async () => {
    const targets: Record<string, string> = {
      "/loopback": "http://127.0.0.2/",
      "/decimal": "http://2130706434/",
      "/mapped": "http://[::ffff:127.0.0.2]/",
      "/private": "http://10.0.0.1/",
      "/metadata": "http://169.254.169.254/latest/",
      "/name": "http://private.test/",
      "/file": "file:///etc/passwd",
      "/userinfo": "http://u:p@127.0.0.1/",
    };
    const server = serve((req) =>
      Response.redirect(targets[new URL(req.url).pathname] ?? "/", 302),
    );
    const guardedFetch = createFetch({
      resolve: async (name) => [name === "private.test" ? "192.168.0.1" : "127.0.0.1"],
    });
    for (const path of Object.keys(targets)) {
      const code = await codeOf(guardedFetch(`http://api.test:${server.port}${path}`));
      expect([path, code]).toEqual([path, /file|userinfo/.test(path) ? "bad_url" : "blocked"]);
    }
  });

  test("A redirect to another host drops all credentials for all further redirects", async () => {
    const seen: Record<string, string | null>[] = [];
    const server = serve((req) => {
      const url = new URL(req.url);
      const { authorization = null, "x-api-key": key = null, accept = null } = req.headers.toJSON();
      seen.push({ host: url.hostname, authorization, key, accept });
      if (url.pathname === "/1") return Response.redirect(`http://other.test:${url.port}/2`, 302);
      if (url.pathname === "/2") return Response.redirect(`http://api.test:${url.port}/3`, 302);
      return new Response("end");
    });
    const response = await createFetch()(`http://api.test:${server.port}/1`, {
      headers: { authorization: "Bearer t", "x-api-key": "k", accept: "text/html" },
    });
    expect(await response.text()).toBe("end");
    expect([response.url, response.redirected]).toEqual([`http://api.test:${server.port}/3`, true]);
    const without = { authorization: null, key: null, accept: "text/html" };
    expect(seen).toEqual([
      { host: "api.test", authorization: "Bearer t", key: "k", accept: "text/html" },
      { host: "other.test", ...without },
      { host: "api.test", ...without },
    ]);
  });

  test("A redirect within the host keeps method and body if the status requires it", async () => {
    const server = serve(async (req) => {
      const { pathname } = new URL(req.url);
      if (pathname === "/moved")
        return new Response(null, { status: 308, headers: { location: "/x" } });
      return new Response(`${req.method} ${req.headers.get("authorization")} ${await req.text()}`);
    });
    const response = await createFetch()(`http://api.test:${server.port}/moved`, {
      method: "POST",
      headers: { authorization: "Bearer t" },
      body: "b",
    });
    expect(await response.text()).toBe("POST Bearer t b");
  });

  test("At most five redirects are followed", async () => {
    const server = serve((req) => {
      const left = Number(new URL(req.url).pathname.slice(1));
      return left === 0 ? new Response("end") : Response.redirect(`/${left - 1}`, 302);
    });
    const url = `http://api.test:${server.port}`;
    expect(await (await createFetch()(`${url}/5`)).text()).toBe("end");
    expect(await codeOf(createFetch()(`${url}/6`))).toBe("too_many_redirects");
  });

  test("A caller can get the redirect response itself", async () => {
    const server = serve(() => Response.redirect("http://127.0.0.2/", 302));
    const url = `http://api.test:${server.port}/`;
    const response = await createFetch()(url, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, "http://127.0.0.2/"]);
    expect(await codeOf(createFetch()(url, { redirect: "error" }))).toBe("too_many_redirects");
  });
});

describe("TLS", () => {
  const tls = { cert: serverPem, key: serverKeyPem };

  test("TLS checks the certificate against the host name, not the address", async () => {
    const server = serve((req) => new Response(req.headers.get("host")), tls);
    const guardedFetch = createFetch({ ca: authorityPem });
    const url = `https://api.test:${server.port}/`;
    expect(await (await guardedFetch(url)).text()).toBe(`api.test:${server.port}`);
    // An open connection made for one name does not serve another at the same address.
    for (const host of ["other.test", "127.0.0.1"]) {
      const work = guardedFetch(`https://${host}:${server.port}/`);
      expect(await codeOf(work)).toBe("network");
      await expect(work).rejects.toThrow(/certificate .* is for another name/);
    }
    expect(await (await guardedFetch(url)).text()).toBe(`api.test:${server.port}`);
  });

  test("TLS refuses a certificate of an unknown authority regardless of the caller's options", async () => {
    const server = serve(() => new Response("ok"), tls);
    const init: RequestInit & { tls: object } = { tls: { rejectUnauthorized: false } };
    const work = createFetch()(`https://api.test:${server.port}/`, init);
    await expect(work).rejects.toThrow(/NODE_EXTRA_CA_CERTS/);
    expect(await codeOf(work)).toBe("network");
  });

  test("A credential is not sent from https to http by a redirect", async () => {
    const plain = serve(() => new Response("plain"));
    const server = serve(() => Response.redirect(`http://api.test:${plain.port}/`, 302), tls);
    const work = createFetch({ ca: authorityPem })(`https://api.test:${server.port}/`, {
      headers: { authorization: "Bearer t" },
    });
    expect(await codeOf(work)).toBe("blocked");
  });
});

describe("a body", () => {
  test("A body over the limit is aborted at the limit, and the connection is closed", async () => {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const server = serve(() => new Response(createFlood(1024, resolve)));
    const response = await createFetch({ bodyBytesMax: 100_000 })(
      `http://api.test:${server.port}/`,
    );
    expect(await codeOf(response.bytes())).toBe("body_too_large");
    await cancelled;
  });

  test("A body with a Content-Length over the limit is not read", async () => {
    const server = serve(() => new Response("x".repeat(101)));
    const guardedFetch = createFetch({ bodyBytesMax: 100 });
    expect(await codeOf(guardedFetch(`http://api.test:${server.port}/`))).toBe("body_too_large");
  });

  test("A body of exactly the limit is accepted", async () => {
    const server = serve(() => new Response("x".repeat(100)));
    const response = await createFetch({ bodyBytesMax: 100 })(`http://api.test:${server.port}/`);
    expect((await response.text()).length).toBe(100);
  });

  const encoders = { gzip: gzipSync, br: (bytes: Uint8Array) => brotliCompressSync(bytes) };
  for (const [coding, encode] of Object.entries(encoders)) {
    const headers = { "content-encoding": coding };

    test(`A body in ${coding} is decompressed, and the decompressed bytes count`, async () => {
      const packed = encode(Buffer.from("x".repeat(50_000)));
      const server = serve(() => new Response(packed, { headers }));
      const url = `http://api.test:${server.port}/`;
      const response = await createFetch({ bodyBytesMax: 50_000 })(url);
      expect((await response.text()).length).toBe(50_000);
      expect(response.headers.get("content-encoding")).toBeNull();
      const refused = await createFetch({ bodyBytesMax: 49_999 })(url);
      expect(await codeOf(refused.text())).toBe("body_too_large");
    });

    test(`An empty body that is declared as ${coding} is accepted`, async () => {
      const server = serve(() => new Response("", { headers }));
      const response = await createFetch()(`http://api.test:${server.port}/`);
      expect(await response.text()).toBe("");
    });

    test(`A body that is wrongly declared as ${coding} fails`, async () => {
      const server = serve(() => new Response(new Uint8Array(64).fill(255), { headers }));
      const response = await createFetch()(`http://api.test:${server.port}/`);
      expect(await codeOf(response.text())).toBe("network");
    });
  }

  test("A body shorter than its Content-Length fails", async () => {
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data: (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"),
      },
    });
    open.push(listener);
    const response = await createFetch()(`http://api.test:${listener.port}/`);
    expect(await codeOf(response.text())).toBe("network");
  });

  test("Cancelling a body closes the connection to the server", async () => {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const server = serve(() => new Response(createFlood(1024, resolve)));
    const response = await createFetch()(`http://api.test:${server.port}/`);
    await response.body?.cancel();
    await cancelled;
  });
});

describe("timeouts and cancellation", () => {
  test("A call times out if no answer comes", async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    let hasArrived = false;
    const server = serve((req) => {
      hasArrived = true;
      req.signal.addEventListener("abort", () => resolve());
      return new Promise(() => {});
    });
    const work = createFetch({ timeoutMs: 20 })(`http://api.test:${server.port}/`);
    expect(await codeOf(work)).toBe("timeout");
    // On a busy machine, the time is up before.
    if (hasArrived) await left;
  });

  test("A call times out if the body stalls", async () => {
    const server = serve(
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new Uint8Array(10)),
            pull: () => new Promise(() => {}),
          }),
        ),
    );
    const guardedFetch = createFetch({ timeoutMs: 50 });
    const read = async () => await (await guardedFetch(`http://api.test:${server.port}/`)).text();
    expect(await codeOf(read())).toBe("timeout");
  });

  test("A call times out if the DNS look-up hangs", async () => {
    const guardedFetch = createFetch({ timeoutMs: 20, resolve: () => new Promise(() => {}) });
    expect(await codeOf(guardedFetch("http://api.test/"))).toBe("timeout");
  });

  test("A call times out if the connection is never accepted", async () => {
    // Without an answer to the TLS handshake, the connection is not established.
    const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    open.push(listener);
    const work = createFetch({ connectTimeoutMs: 20 })(`https://api.test:${listener.port}/`);
    expect(await codeOf(work)).toBe("timeout");
  });

  for (const place of ["fetch", "call"]) {
    test(`A call rejects with the reason of the ${place}'s signal when it aborts`, async () => {
      const abort = new AbortController();
      const { promise: arrived, resolve } = Promise.withResolvers<void>();
      const server = serve(() => {
        resolve();
        return new Promise(() => {});
      });
      const { signal } = abort;
      const guardedFetch = createFetch(place === "fetch" ? { signal } : {});
      const init = place === "call" ? { signal } : {};
      const work = guardedFetch(`http://api.test:${server.port}/`, init);
      await arrived;
      abort.abort(new Error("no longer wanted"));
      await expect(work).rejects.toThrow("no longer wanted");
      await work.catch(() => {});
    });
  }

  test("A call with an aborted signal fails at once", async () => {
    const guardedFetch = createFetch({ signal: AbortSignal.abort(new Error("gone")) });
    await expect(guardedFetch("http://api.test/")).rejects.toThrow("gone");
  });
});

test("The error for a closed port says what to check", async () => {
  const server = serve(() => new Response());
  const { port } = server;
  await server.stop(true);
  const work = createFetch()(`http://api.test:${port}/`);
  await expect(work).rejects.toThrow(/refused the connection/);
  expect(await codeOf(work)).toBe("network");
});

/** Whether the work fails with an error that says that no server got the request. */
async function isUnsent(work: Promise<unknown>): Promise<boolean> {
  const thrown = await work.catch((error: unknown) => error);
  if (thrown instanceof OutboundError) return thrown.isUnsent;
  throw new Error("The call did not fail with an OutboundError");
}

/** No program listens there. */
const closedAddress = "http://api.test:1/";

test("A closed port and a name without an address say that nothing was sent", async () => {
  const post = { method: "POST", body: "x" };
  expect(await isUnsent(createFetch()(closedAddress, post))).toBe(true);
  const lost = createFetch({ resolve: async () => [] });
  expect(await isUnsent(lost("http://api.test/", post))).toBe(true);
});

test("A request that a server may have seen is not called unsent", async () => {
  const server = serve(() => Response.redirect(closedAddress, 303));
  const post = { method: "POST", body: "x" };
  expect(await isUnsent(createFetch()(`http://api.test:${server.port}/`, post))).toBe(false);
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end() },
  });
  open.push(listener);
  expect(await isUnsent(createFetch()(`http://api.test:${listener.port}/`, post))).toBe(false);
});

test("An answer that is not HTTP fails", async () => {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end("SSH-2.0-OpenSSH_9.9\r\n") },
  });
  open.push(listener);
  expect(await codeOf(createFetch()(`http://api.test:${listener.port}/`))).toBe("network");
});
