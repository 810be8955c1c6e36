/**
 * Sends requests of unusual shapes to each kind of address, as a stranger, a user and an admin: headers, cookies, queries,
 * paths, forms and cursors as long or as many as the runtime accepts, connections that send slowly or never, many requests at
 * once on one connection, and callers who do not read their answers. Prints for each attack how long the event loop's thread
 * worked in one go, all processor time and the memory: `bun scripts/attacks/people-shapes.ts [--only TEXT] [--hub CHECKOUT]`.
 * The exit code is 1 if an attack exceeds the law of `request-cost/law.ts`, if a request fails inside the hub, or if a
 * connection that sends nothing useful stays open. Linux only, about three minutes.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createBrowser } from "../../test/support/browser.ts";
import { signIn } from "../../test/support/oauth-fixture.ts";
import { openRaw, type RawConnection, toRequest } from "../../test/support/raw-http.ts";
import { toToolCall } from "../../test/support/rpc.ts";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));
const mebibyte = 1024 * 1024;
const jsonType = { "content-type": "application/json" };

await using watched = await startWatchedHub({
  main: join(checkout, "packages/cli/src/hub.ts"),
  // Requests of many networks come from this machine.
  env: { HUB_TRUSTED_PROXIES: "127.0.0.1/32,::1/128", HUB_OUTBOUND_ALLOW: "127.0.0.1" },
  hasCallLimits: true,
});
const { hub } = watched;
const judge = createJudge(watched, flags.only);
const admin = await hub.makeManageToken();
const user = await hub.addUser("ada@example.com");
await hub.addUser("ben@example.com");
let failures = 0;
let networks = 0;

/** Refuses what the law does not count, such as a failure inside the hub. */
function refuse(what: string): void {
  failures += 1;
  console.log(`REFUSED: ${what}`);
}

const base = `http://localhost:${hub.port}`;
const added = await hub.cli("user", "add", "carl@example.com", "--password", "--json");
const { one_time_password: password } = added.json<{ one_time_password: string }>();
const browser = createBrowser();
await signIn(browser, base, { email: "carl@example.com", password });
const next = "correct horse battery staple 42";
const page = await browser.open(`${base}/auth/password`);
await browser.submit(page, { new_password: next, repeated: next });
const cookie = browser.cookieHeader(base);

const host = `Host: localhost:${hub.port}`;
const toAddress = () => {
  networks += 1;
  return `X-Forwarded-For: ${20 + (networks >> 16)}.${(networks >> 8) & 255}.${networks & 255}.1`;
};
const bearer = (token: string) => `Authorization: Bearer ${token}`;

/** An address of each kind of door. */
const doors: { [name: string]: { line: string; headers: string[] } } = {
  "a page": { line: "GET /auth/login", headers: [] },
  "a user's page": { line: "GET /profile", headers: [`Cookie: ${cookie}`] },
  "a user's tokens": { line: "GET /profile/tokens", headers: [`Cookie: ${cookie}`] },
  "the app": { line: "GET /", headers: ["Cookie: hub_session=x"] },
  "a file": { line: "GET /assets/app/none.js", headers: [] },
  authorize: { line: "GET /oauth/authorize", headers: [] },
  "a webhook": { line: "POST /webhook/none", headers: ["Content-Length: 0"] },
  "the API": { line: "GET /manager/api/rows", headers: [bearer(admin)] },
  "an unknown path": { line: "GET /manager/api/none", headers: [bearer(admin)] },
  "/mcp": { line: "GET /mcp", headers: [bearer(user.token)] },
};

/** The runtime accepts headers of 16 KiB together. */
const headerBytes = 14_000;
const fill = (part: (at: number) => string, separator = "") => {
  const parts: string[] = [];
  for (let bytes = 0, at = 0; bytes < headerBytes; at += 1) {
    const text = part(at);
    parts.push(text);
    bytes += text.length + separator.length;
  }
  return parts.join(separator);
};
type Shape = { headers?: () => string[]; query?: () => string; path?: () => string };
const shapes: { [name: string]: Shape } = {
  "150 headers": {
    headers: () => Array.from({ length: 150 }, (_, at) => `x-${at}: ${"a".repeat(80)}`),
  },
  "one name 150 times": {
    headers: () => Array.from({ length: 150 }, () => `x-forwarded-for: ${"1".repeat(60)}`),
  },
  "3,000 cookies": { headers: () => [`Cookie: ${fill((at) => `c${at}=1`, "; ")}`] },
  "a session 1,000 times": { headers: () => [`Cookie: ${fill(() => "hub_session=a", "; ")}`] },
  "semicolons as cookies": { headers: () => [`Cookie: ${fill(() => ";")}`] },
  "one cookie of 14 KB": { headers: () => [`Cookie: hub_form=${fill(() => "A")}`] },
  "escapes in cookies": { headers: () => [`Cookie: hub_session=${fill(() => "%25%41")}`] },
  "ranges of Accept": { headers: () => [`Accept: ${fill((at) => `a/${at};q=0.1`, ",")}`] },
  "spaces in Accept": { headers: () => [`Accept: a;${fill(() => " ")}q=0`] },
  "languages and encodings": {
    headers: () => [`Accept-Language: ${fill(() => "a-b;q=0.1", ",")}`],
  },
  encodings: { headers: () => [`Accept-Encoding: ${fill(() => "gzi", ",")}`] },
  "tags of If-None-Match": { headers: () => [`If-None-Match: ${fill(() => '"a"', ",")}`] },
  ranges: { headers: () => [`Range: bytes=${fill((at) => `${at}-${at}`, ",")}`] },
  "addresses of a proxy": { headers: () => [`X-Forwarded-For: ${fill(() => "127.0.0.1", ",")}`] },
  "a long host of a proxy": { headers: () => [`X-Forwarded-Host: ${fill(() => "a.")}`] },
  "spaces before a token": { headers: () => [`Authorization: Bearer ${fill(() => " ")}x y`] },
  "a long type": { headers: () => [`Content-Type: ${fill(() => "a; ")}`] },
  "a long agent": { headers: () => [`User-Agent: ${fill(() => "Mozilla/5.0 (")}`] },
  "trace contexts": { headers: () => [`traceparent: ${fill(() => "00-")}`] },
  "3,000 parameters": { query: () => fill((at) => `p${at}=1`, "&") },
  "one parameter 3,000 times": { query: () => fill(() => "after=", "&") },
  "ampersands as query": { query: () => fill(() => "&") },
  "escapes in a query": { query: () => `after=${fill(() => "%25")}` },
  "broken escapes in a query": { query: () => `after=${fill(() => "%")}` },
  "a long destination": { query: () => `next=/${fill(() => "a/")}` },
  "dots as destination": { query: () => `next=${fill(() => "/..")}` },
  "escapes in a destination": { query: () => `next=%2F${fill(() => "%2F%5C")}` },
  "plus signs in a query": { query: () => `q=${fill(() => "+")}` },
  "a long segment": { path: () => `/${fill(() => "a")}` },
  "7,000 segments": { path: () => fill(() => "/a") },
  "slashes as path": { path: () => fill(() => "/") },
  "dots as path": { path: () => fill(() => "/..") },
  "escapes in a path": { path: () => `/${fill(() => "%2e%2F")}` },
  "broken escapes in a path": { path: () => `/${fill(() => "%E0%A4")}` },
};
const repeats = 60;

type Sent = { line: string; headers: string[] };

/** Sends a request many times over a few connections. Returns the statuses. */
async function sendMany(toSent: () => Sent, count: number): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const connections = 6;
  const sendSome = async () => {
    let raw = await openRaw(hub.port);
    for (let sent = 0; sent < count / connections; sent += 1) {
      const { line, headers } = toSent();
      raw.send(toRequest(`${line} HTTP/1.1`, [host, toAddress(), ...headers]));
      const answer = await Promise.race([raw.answer(), Bun.sleep(20_000)]);
      const status = answer ? String(answer.status) : answer === null ? "closed" : "silent";
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (answer && answer.headers.connection !== "close") continue;
      await raw[Symbol.asyncDispose]();
      raw = await openRaw(hub.port);
    }
    await raw[Symbol.asyncDispose]();
  };
  await Promise.all(Array.from({ length: connections }, sendSome));
  return statuses;
}

const toText = (statuses: Map<string, number>) =>
  [...statuses].map(([status, count]) => `${status} x${count}`).join(", ");

// What is loaded at the first request is not the attack's.
for (const { line, headers } of Object.values(doors)) {
  await sendMany(() => ({ line, headers }), 6);
}

for (const [name, { headers = () => [], query, path = () => "" }] of Object.entries(shapes)) {
  const all = Object.values(doors);
  await judge.attack(
    name,
    { bytes: repeats * all.length * headerBytes, requests: repeats },
    async () => {
      const statuses = new Map<string, number>();
      const shaped = headers();
      const search = query === undefined ? "" : `?${query()}`;
      for (const door of all) {
        const sent = {
          line: `${door.line}${path()}${search}`,
          headers: [...door.headers, ...shaped],
        };
        for (const [status, count] of await sendMany(() => sent, repeats)) {
          statuses.set(status, (statuses.get(status) ?? 0) + count);
        }
      }
      if (statuses.has("500") || statuses.has("silent")) refuse(`${name}: ${toText(statuses)}`);
      return toText(statuses);
    },
  );
}

/** Cursors that no list gave out, for each list of the API. */
const { paths } = Object(await (await fetch(`${hub.url}/openapi.json`)).json());
const lists = Object.entries<object>(paths).flatMap(([path, methods]) => {
  const params: unknown[] = Object(Object(methods).get).parameters ?? [];
  return params.some((param) => Object(param).name === "after") && !path.includes("{")
    ? [path]
    : [];
});
const toCursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const cursors: string[] = [
  "x".repeat(8_000),
  toCursor([1e308, "x"]),
  toCursor([-1, ""]),
  toCursor([Number.MAX_SAFE_INTEGER, "x".repeat(4_000)]),
  toCursor(["\u0000", "\u0000"]),
  toCursor(["\ud800", "' or 1=1 --"]),
  toCursor(["%", "%"]),
  toCursor([{}, []]),
  toCursor([null, null]),
  `${"W1".repeat(2_000)}`,
  Buffer.from("[".repeat(8_000)).toString("base64url"),
  "-1",
  "1e999",
  "\u0000",
];
await judge.attack(
  `cursors of ${lists.length} lists`,
  { bytes: lists.length * cursors.length * 6_000, requests: 20 },
  async () => {
    const statuses = new Map<string, number>();
    for (const list of lists) {
      for (const after of cursors) {
        const answer = await fetch(`${hub.url}${list}?after=${encodeURIComponent(after)}`, {
          headers: { authorization: `Bearer ${admin}` },
        });
        await answer.text();
        if (answer.status >= 500) refuse(`${list} with the cursor ${after.slice(0, 40)}`);
        statuses.set(`${answer.status}`, (statuses.get(`${answer.status}`) ?? 0) + 1);
      }
    }
    return toText(statuses);
  },
);

/** Forms and bodies of the largest size, as each door reads them. */
const formBytes = 63_000;
const toForm = (part: string) => part.repeat(Math.floor(formBytes / part.length));
const forms: { [name: string]: [type: string, body: string] } = {
  "form of 30,000 fields": ["application/x-www-form-urlencoded", toForm("a&")],
  "form of one field 15,000 times": ["application/x-www-form-urlencoded", toForm("b=1&")],
  "form of escapes": ["application/x-www-form-urlencoded", `a=${toForm("%25")}`],
  "form of one long name": ["application/x-www-form-urlencoded", toForm("a")],
  "multipart of 1,000 parts": [
    "multipart/form-data; boundary=b",
    toForm('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'),
  ],
  "multipart of boundaries": ["multipart/form-data; boundary=b", toForm("--b\r\n")],
};
for (const [name, [type, body]] of Object.entries(forms)) {
  const to = ["/oauth/token", "/oauth/register", "/auth/login", "/webhook/none", "/oauth/revoke"];
  await judge.attack(name, { bytes: to.length * 40 * formBytes, requests: 40 }, async () => {
    const statuses = new Map<string, number>();
    for (const path of to) {
      const send = async () => {
        const [name = "", value = ""] = toAddress().split(": ");
        const cookie = `hub_form=${"A".repeat(22)}`;
        const headers = { "content-type": type, cookie, [name]: value };
        const answer = await fetch(`${hub.url}${path}`, { method: "POST", headers, body });
        await answer.text();
        if (answer.status >= 500) refuse(`${path} with ${name}`);
        statuses.set(`${answer.status}`, (statuses.get(`${answer.status}`) ?? 0) + 1);
      };
      for (let at = 0; at < 40; at += 8) await Promise.all(Array.from({ length: 8 }, send));
    }
    return toText(statuses);
  });
}

/** Requests one after another on a connection, without waiting for answers. */
for (const [name, { line, headers }] of Object.entries(doors)) {
  const count = 5_000;
  const one = toRequest(`${line} HTTP/1.1`, [host, ...headers]);
  await judge.attack(
    `${count} on one connection: ${name}`,
    { bytes: count * one.length, requests: 20 },
    async () => {
      await using raw = await openRaw(hub.port);
      let bytes = 0;
      raw.socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      raw.send(one.repeat(count));
      await Promise.race([raw.closed, Bun.sleep(4_000)]);
      return `${bytes} bytes of answers`;
    },
  );
}

async function openMany(count: number): Promise<RawConnection[]> {
  const all: RawConnection[] = [];
  while (all.length < count) {
    all.push(...(await Promise.all(Array.from({ length: 100 }, () => openRaw(hub.port)))));
  }
  return all;
}

/** The hub closes what sends no whole request, and other callers are answered meanwhile. */
const silent: { [name: string]: (raw: RawConnection) => () => void } = {
  "3,000 silent connections": () => () => {},
  "3,000 slow headers": (raw) => {
    raw.send(`GET /health HTTP/1.1\r\n${host}\r\n`);
    return () => raw.send("a: b\r\n");
  },
  "1,500 slow bodies of strangers": (raw) => {
    raw.send(
      toRequest("POST /oauth/token HTTP/1.1", [
        host,
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 60000",
      ]),
    );
    return () => raw.send("a");
  },
  "1,500 slow bodies of a user": (raw) => {
    raw.send(
      toRequest("POST /mcp HTTP/1.1", [
        host,
        bearer(user.token),
        "Content-Type: application/json",
        "Content-Length: 60000",
      ]),
    );
    return () => raw.send(" ");
  },
};
for (const [name, begin] of Object.entries(silent)) {
  const count = Number(/^[\d,]+/.exec(name)?.[0].replace(",", ""));
  await judge.attack(name, { bytes: count * 1_000, requests: 30 }, async () => {
    const all = await openMany(count);
    let open = count;
    const steps = all.map((raw) => {
      void raw.closed.then(() => {
        open -= 1;
      });
      return begin(raw);
    });
    let longest = 0;
    const startedAt = performance.now();
    while (open > 0 && performance.now() - startedAt < 45_000) {
      for (const step of steps) step();
      const at = performance.now();
      await (await fetch(`${hub.url}/health`)).text();
      longest = Math.max(longest, performance.now() - at);
      await Bun.sleep(2_000);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    if (open > 0) refuse(`${open} of ${name} are open after ${seconds.toFixed(0)} s`);
    for (const raw of all) await raw[Symbol.asyncDispose]();
    return `closed after ${seconds.toFixed(0)} s; /health ${longest.toFixed(0)} ms`;
  });
}

/** A user who asks for large answers and reads none of them. */
for (const accept of ["application/json", "text/event-stream"]) {
  const count = 300;
  const body = JSON.stringify(toToolCall("hub_encrypt", { text: "a".repeat(100_000) }));
  await judge.attack(
    `${count} unread answers (${accept})`,
    { bytes: count * body.length, requests: count },
    async () => {
      const all = await openMany(count);
      const head = toRequest("POST /mcp HTTP/1.1", [
        host,
        bearer(user.token),
        `Accept: ${accept}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ]);
      for (const { socket } of all) socket.pause();
      for (const raw of all) raw.send(head + body);
      await Bun.sleep(8_000);
      for (const raw of all) await raw[Symbol.asyncDispose]();
      return `${((count * body.length) / mebibyte).toFixed(0)} MiB sent`;
    },
  );
}

/** A user whose calls bring a megabyte each, and who reads none of the answers. The limits of calls are the hub's own. */
const large = JSON.stringify({ text: "lorem ipsum ".repeat(80_000) });
const outside = Bun.serve({ port: 0, fetch: () => new Response(large, { headers: jsonType }) });
const rowArgs = ["--label", "Large", "--set", `base_url=http://127.0.0.1:${outside.port}`];
const made = await hub.cli("row", "add", "http", ...rowArgs, "--json");
const toolId = `conn:${made.json<{ id: string }>().id}/get`;
await hub.cli("user", "set", "ada@example.com", "--role", "admin");
for (const accept of ["application/json", "text/event-stream"]) {
  const count = 600;
  const frame = toToolCall("hub_execute", { tool_id: toolId, params: { path: "/" } });
  const body = JSON.stringify(frame);
  await judge.attack(
    `${count} unread answers of 1 MB (${accept})`,
    { bytes: count * large.length, requests: count },
    async () => {
      const all = await openMany(count);
      const head = toRequest("POST /mcp HTTP/1.1", [
        host,
        bearer(user.token),
        `Accept: ${accept}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
      ]);
      for (const { socket } of all) socket.pause();
      for (const raw of all) raw.send(head + body);
      await Bun.sleep(15_000);
      for (const raw of all) await raw[Symbol.asyncDispose]();
      return `${((count * large.length) / mebibyte).toFixed(0)} MiB of answers`;
    },
  );
}
outside.stop(true);

/** Strangers from one machine who ask at the same time, each on a connection of their own. */
for (const name of ["a page", "authorize", "a file", "/mcp"]) {
  const count = 3_000;
  const { line, headers } = doors[name] ?? { line: "GET /", headers: [] };
  await judge.attack(
    `${count} at the same time: ${name}`,
    { bytes: count * 200, requests: 100 },
    async () => {
      const all = await openMany(count);
      const statuses = new Map<string, number>();
      const answers = all.map(async (raw) => {
        raw.send(toRequest(`${line} HTTP/1.1`, [host, toAddress(), ...headers]));
        const answer = await Promise.race([raw.answer(), Bun.sleep(20_000)]);
        const status = answer ? String(answer.status) : "none";
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      });
      const at = performance.now();
      await (await fetch(`${hub.url}/health`)).text();
      const health = performance.now() - at;
      await Promise.all(answers);
      for (const raw of all) await raw[Symbol.asyncDispose]();
      return `/health ${health.toFixed(0)} ms; ${toText(statuses)}`;
    },
  );
}

/** Requests whose end proxies and servers see differently. None but the first may be answered. */
const inner = `GET /health HTTP/1.1\r\n${host}\r\n\r\n`;
const smuggling: { [name: string]: string[] } = {
  "both lengths": ["Content-Length: 4", "Transfer-Encoding: chunked"],
  "two lengths": [`Content-Length: ${inner.length}`, "Content-Length: 0"],
  "a signed length": ["Content-Length: +0"],
  "a length in hexadecimal": ["Content-Length: 0x0"],
  "an unknown coding": ["Transfer-Encoding: xchunked"],
  "chunked and another coding": ["Transfer-Encoding: chunked, identity"],
  "a space before the colon": ["Content-Length : 0"],
  "a folded header": ["X-A: b\r\n Content-Length: 0"],
};
for (const [name, headers] of Object.entries(smuggling)) {
  await judge.attack(`smuggling: ${name}`, { bytes: 1_000 }, async () => {
    await using raw = await openRaw(hub.port);
    const type = "Content-Type: application/x-www-form-urlencoded";
    const body = `0\r\n\r\n${inner}`;
    raw.send(toRequest("POST /oauth/token HTTP/1.1", [host, type, ...headers], body));
    const answers: string[] = [];
    for (;;) {
      const answer = await Promise.race([raw.answer(), Bun.sleep(1_000)]);
      if (!answer) break;
      answers.push(`${answer.status}`);
      if (answer.body === '{"status":"ok"}') refuse(`${name}: the inner request was answered`);
    }
    return answers.join(", ");
  });
}

judge.end();
if (failures > 0) process.exitCode = 1;
// An exit does not wait for what is disposed of at the end.
await watched[Symbol.asyncDispose]();
process.exit();
