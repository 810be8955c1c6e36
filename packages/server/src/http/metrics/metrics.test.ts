/** Protects: metrics are for admins and this machine, and name no user. */
import { describe, expect, test } from "bun:test";
import { ada } from "../../mcp/testing/open-test-mcp.ts";
import { mcpRequest, openTestApp, token } from "../testing/open-test-app.ts";

type Options = Parameters<typeof openTestApp>[0];

const admin = { ...ada, role: "admin" as const };

function ask(options: Options, headers: Record<string, string> = {}) {
  const { app } = openTestApp(options);
  const request = new Request("http://localhost:7420/metrics", {
    headers: { host: "localhost:7420", ...headers },
  });
  return app.request(request);
}

describe("a program on this machine", () => {
  test("A program on this machine reads the metrics without a token", async () => {
    const response = await ask({ peer: "127.0.0.1" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/plain");
    expect(await response.text()).toContain('hub_info{version="0.0.0"} 1');
  });

  test("A local request with another host name is refused (DNS rebinding)", async () => {
    expect((await ask({ peer: "127.0.0.1" }, { host: "evil.example:7420" })).status).toBe(403);
  });

  test.each([
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "via",
  ])("A request that a local proxy forwards is not local (%s)", async (name) => {
    expect((await ask({ peer: "127.0.0.1" }, { [name]: "127.0.0.1" })).status).toBe(401);
  });
});

test("Behind a proxy that is not known, each request may be local, so all need a token", async () => {
  const closed = { peer: "127.0.0.1", areMetricsLocal: false };
  expect((await ask(closed)).status).toBe(401);
  const headers = { authorization: `Bearer ${token}` };
  expect((await ask({ ...closed, authenticate: async () => admin }, headers)).status).toBe(200);
});

describe("from another machine", () => {
  const peer = "203.0.113.5";

  test("Metrics are refused without a token, whatever the headers are", async () => {
    expect((await ask({ peer })).status).toBe(401);
    expect((await ask({ peer }, { "x-forwarded-for": "127.0.0.1" })).status).toBe(401);
    expect((await ask({ peer }, { cookie: `hub_session=${token}` })).status).toBe(401);
  });

  test("An admin's token reads the metrics, also with the address as Host", async () => {
    const headers = { authorization: `Bearer ${token}`, host: "10.0.0.7:7420" };
    const response = await ask({ peer, authenticate: async () => admin }, headers);
    expect(response.status).toBe(200);
  });

  test("An admin's token with the scope mcp is refused, also on this machine", async () => {
    const headers = { authorization: `Bearer ${token}` };
    const admins = { authenticate: async () => admin, scope: "mcp" as const };
    for (const from of [peer, "127.0.0.1"]) {
      const response = await ask({ ...admins, peer: from }, headers);
      expect([response.status, Object(await response.json()).code]).toEqual([
        403,
        "insufficient_scope",
      ]);
      expect(response.headers.get("www-authenticate")).toContain('scope="manage"');
    }
  });

  test.each([
    ["a user's token", 403, `Bearer ${token}`, ada],
    ["an unknown token", 401, `Bearer ${token}`, null],
    ["an admin's token for MCP", 401, `Bearer hub_oat_${"0".repeat(32)}`, admin],
    ["something else", 401, "Basic YTpi", admin],
  ])("With %s the answer is %d, also on this machine", async (_, status, authorization, caller) => {
    const authenticate = async () => caller;
    expect((await ask({ peer, authenticate }, { authorization })).status).toBe(status);
    const local = await ask({ peer: "127.0.0.1", authenticate }, { authorization });
    expect(local.status).toBe(status);
  });
});

test("Answers are counted by door and status class, and unknown paths add no labels", async () => {
  const { app } = openTestApp({ peer: "127.0.0.1" });
  await app.request(mcpRequest());
  await app.request(mcpRequest({ headers: { authorization: "" } }));
  for (let index = 0; index < 20; index += 1) {
    await app.request(`http://localhost:7420/nothing/${index}`, {
      headers: { host: "localhost:7420" },
    });
  }
  const response = await app.request("http://localhost:7420/metrics", {
    headers: { host: "localhost:7420" },
  });
  const text = await response.text();
  expect(text).toContain('hub_http_requests_total{door="mcp",status="2xx"} 1\n');
  expect(text).toContain('hub_http_requests_total{door="mcp",status="4xx"} 1\n');
  expect(text).toContain('hub_http_requests_total{door="pages",status="4xx"} 20\n');
  expect(text).toContain('hub_refused_requests_total{code="unauthorized"} 1\n');
  expect(text).not.toContain("nothing");
  for (const secret of [token, ada.email, ada.userId]) expect(text).not.toContain(secret);
});
