import { afterEach, expect, test } from "bun:test";
import { type ApiDeps, createApiClient, toRequest } from "./call-api.ts";

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

type Sent = { url: string; method: string; csrf: string | null; body: string | null };

/** Replaces `fetch` by answers in this order, each for the method and path that it names. */
function serve(...answers: Array<[route: string, status: number, body: unknown]>) {
  const sent: Sent[] = [];
  const answer = async (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    const method = init.method ?? "GET";
    sent.push({ url, method, csrf: headers.get("x-csrf-token"), body: String(init.body) });
    const [route, status, body] = answers.shift() ?? ["none", 500, {}];
    expect(`${method} ${url}`).toBe(route);
    return Response.json(body, { status });
  };
  globalThis.fetch = answer as unknown as typeof fetch;
  return sent;
}

const me = (csrf_token: string, id = "u1") => ({
  user: { id, email: "ada@example.com" },
  csrf_token,
  mcp_url: "",
});
const refused = { error: "Sign in.", code: "unauthorized" };
const create = { body: { name: "my token" } };

function open({ confirms = true, ...more }: Pick<ApiDeps, "send"> & { confirms?: boolean } = {}) {
  const asked: Array<string | null> = [];
  const confirmed: string[] = [];
  const others: string[] = [];
  const api = createApiClient({
    renewSession: async (email) => void asked.push(email),
    async confirmUser(email) {
      confirmed.push(email);
      return confirms;
    },
    onOtherUser: () => void others.push("other"),
    ...more,
  });
  return { api, asked, confirmed, others };
}

test("Parameters of the path are escaped, and empty ones of the query are left out", () => {
  const input = {
    params: { row: "a/../b" },
    query: { status: "error", from: "", limit: undefined },
  };
  expect(toRequest("GET /manager/api/rows/{row}/runs", input)).toEqual({
    method: "GET",
    url: "/manager/api/rows/a%2F..%2Fb/runs?status=error",
  });
});

test("A change carries the token of the session", async () => {
  const { api } = open();
  const sent = serve(
    ["GET /profile/api/me", 200, me("one")],
    ["POST /profile/api/tokens", 201, { token: "t" }],
  );
  await api.call("POST /profile/api/tokens", create);
  expect(sent[1]).toMatchObject({ csrf: "one", body: JSON.stringify(create.body) });
});

test("A change that meets an ended session is sent again after the sign-in, with the new token", async () => {
  const { api, asked, others } = open();
  const sent = serve(
    ["GET /profile/api/me", 200, me("one")],
    ["POST /profile/api/tokens", 401, refused],
    ["GET /profile/api/me", 200, me("two")],
    ["POST /profile/api/tokens", 201, { token: "t" }],
  );
  const made = await api.call("POST /profile/api/tokens", create);
  expect(made).toMatchObject({ token: "t" });
  expect(asked).toEqual(["ada@example.com"]);
  expect(others).toEqual([]);
  expect(sent.at(-1)).toMatchObject({ csrf: "two", body: JSON.stringify(create.body) });
});

test("A change that another tab's sign-in has made stale is sent again with the new token", async () => {
  const { api, asked } = open();
  const forbidden = { error: "No.", code: "forbidden" };
  const sent = serve(
    ["GET /profile/api/me", 200, me("one")],
    ["POST /profile/api/tokens", 403, forbidden],
    ["GET /profile/api/me", 200, me("two")],
    ["POST /profile/api/tokens", 201, { token: "t" }],
  );
  await api.call("POST /profile/api/tokens", create);
  expect(asked).toEqual([]);
  expect(sent.at(-1)?.csrf).toBe("two");
});

const notFresh = {
  error: "Confirm first.",
  code: "fresh_sign_in_required",
  address: "/auth/fresh",
};

test("A change that needs a fresh sign-in is sent again once after it, with the new token", async () => {
  const { api, confirmed, asked } = open();
  const sent = serve(
    ["GET /profile/api/me", 200, me("one")],
    ["POST /profile/api/tokens", 403, notFresh],
    ["GET /profile/api/me", 200, me("two")],
    ["POST /profile/api/tokens", 403, notFresh],
  );
  const failed = api.call("POST /profile/api/tokens", create);
  await expect(failed).rejects.toMatchObject({ code: "fresh_sign_in_required" });
  expect([confirmed, asked]).toEqual([["ada@example.com"], []]);
  expect(sent.at(-1)).toMatchObject({ csrf: "two", body: JSON.stringify(create.body) });
});

test("A change is not sent again if the user does not confirm", async () => {
  const { api } = open({ confirms: false });
  const sent = serve(
    ["GET /profile/api/me", 200, me("one")],
    ["POST /profile/api/tokens", 403, notFresh],
  );
  const failed = api.call("POST /profile/api/tokens", create);
  await expect(failed).rejects.toMatchObject({ code: "fresh_sign_in_required" });
  expect(sent).toHaveLength(2);
});

test("A change that one user began is not sent when the browser is signed in as another one", async () => {
  const { api, others } = open();
  const sent = serve(
    ["GET /profile/api/me", 200, me("one")],
    ["POST /profile/api/tokens", 401, refused],
    ["GET /profile/api/me", 200, me("two", "u2")],
  );
  const made = api.call("POST /profile/api/tokens", create);
  while (others.length === 0) await Bun.sleep(0);
  expect(await Promise.race([made, Bun.sleep(0)])).toBeUndefined();
  expect(sent.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("A refusal keeps its code and its further members", async () => {
  const { api } = open();
  serve(["GET /profile/api/tokens", 409, { error: "No.", code: "conflict", issues: [1] }]);
  const failed = api.call("GET /profile/api/tokens");
  await expect(failed).rejects.toMatchObject({
    message: "No.",
    code: "conflict",
    status: 409,
    detail: { issues: [1] },
  });
});

test("A hub that does not answer gives a message with advice", async () => {
  const { api } = open();
  const fail = async () => {
    throw new TypeError("Failed to fetch");
  };
  globalThis.fetch = fail as unknown as typeof fetch;
  await expect(api.call("GET /profile/api/tokens")).rejects.toMatchObject({ code: "unreachable" });
});

/** Answers with these pieces of an event stream. */
function stream(...pieces: string[]) {
  const body = () =>
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
  const answer = async (url: string) =>
    url === "/profile/api/me" ? Response.json(me("one")) : new Response(body());
  globalThis.fetch = answer as unknown as typeof fetch;
}
const install = { body: { source: "tracker" } };

test("Long work tells each step, also if events arrive in pieces, and then its answer", async () => {
  const { api } = open();
  stream(
    ':\n\nevent: message\ndata: {"progress":{"phase":"down',
    'loading"}}\n\n:keepalive\n\nevent: message\ndata: {"progress":{"phase":"done"}}\n\nevent: mess',
    'age\ndata: {"result":{"key":"tracker"}}\n\n',
  );
  const steps: unknown[] = [];
  const add = (step: unknown) => void steps.push(step);
  const answer = await api.follow("POST /manager/api/plugins/install", install, add);
  expect(answer).toEqual({ key: "tracker" } as never);
  expect(steps).toEqual([{ phase: "downloading" }, { phase: "done" }]);
});

test.each([
  [
    "fails",
    ['event: message\ndata: {"error":"No.","code":"plugin_refused"}\n\n'],
    "plugin_refused",
  ],
  ["has no outcome", ['event: message\ndata: {"progress":{}}\n\n'], "unreachable"],
  ["is not from the hub", ["event: message\ndata: <html>\n\n"], "unreachable"],
])("Long work that %s throws", async (_, pieces, code) => {
  const { api } = open();
  stream(...pieces);
  const work = api.follow("POST /manager/api/plugins/install", install, () => {});
  await expect(work).rejects.toMatchObject({ code });
});

test.each([
  ["is not JSON", () => new Response("<h1>Sign in to the network</h1>"), "internal", "status 200"],
  [
    "asks to wait",
    () => new Response("busy", { status: 429, headers: { "retry-after": "7" } }),
    "internal",
    "Try again in 7 seconds",
  ],
  ["ends too early", () => new Response(cutStream()), "unreachable", "does not answer"],
])("An answer that %s says what to do next", async (_, answer, code, text) => {
  globalThis.fetch = (async () => answer()) as unknown as typeof fetch;
  const called = open().api.call("GET /manager/api/plugins");
  await expect(called).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
});

function cutStream(): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"plugins":['));
      controller.error(new TypeError("network error"));
    },
  });
}

test("A file is sent with the token of a session that is renewed first, and its steps are told", async () => {
  const events = ['data: {"progress":{"phase":"verifying"}}', 'data: {"result":{"key":"tracker"}}'];
  const files: unknown[] = [];
  const { api, asked } = open({
    async send({ method, url, headers, file, onPercent }) {
      onPercent(100);
      files.push([method, url, headers.get("x-csrf-token"), await file.text()]);
      return new Response(events.map((event) => `${event}\n\n`).join(""));
    },
  });
  serve(["GET /profile/api/me", 401, refused], ["GET /profile/api/me", 200, me("two")]);
  const steps: unknown[] = [];
  const answer = await api.upload(
    "POST /manager/api/plugins/upload",
    { query: { name: "tracker.zip" }, body: new Blob(["zip"]) },
    { onSent: (percent) => steps.push(percent), onProgress: (step) => steps.push(step) },
  );
  expect(answer.key).toBe("tracker");
  expect(asked).toEqual([null]);
  expect(steps).toEqual([100, { phase: "verifying" }]);
  expect(files).toEqual([["POST", "/manager/api/plugins/upload?name=tracker.zip", "two", "zip"]]);
});
