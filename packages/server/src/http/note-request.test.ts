import { expect, test } from "bun:test";
import { mcpRequest, openTestApp } from "./testing/open-test-app.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each([
  ["/health", {}, 200],
  ["/mcp", {}, 401],
  ["/nothing", {}, 404],
  ["/nothing", { accept: "text/html" }, 404],
  ["/auth/login", { host: "evil.example" }, 403],
  ["/manager/api/rows", {}, 401],
])("every answer carries a name of its own: %s %j", async (path, headers, status) => {
  const { app } = openTestApp();
  const ask = async () => {
    const all = { host: "localhost:7420", ...headers };
    const response = await app.request(`http://localhost:7420${path}`, { headers: all });
    expect(response.status).toBe(status);
    return response.headers.get("x-request-id") ?? "";
  };
  const [one, other] = [await ask(), await ask()];
  expect([one, other]).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)]);
  expect(one).not.toBe(other);
});

test("a failure of the hub is found in the log by the name that its answer carries", async () => {
  const { app, failures } = openTestApp({
    authenticate: () => Promise.reject(new Error("broken")),
  });
  const response = await app.request(mcpRequest());
  const requestId = response.headers.get("x-request-id");
  expect(response.status).toBe(500);
  expect(failures).toEqual([[expect.objectContaining({ requestId }), expect.any(String)]]);
});

test("a name that comes with a request counts for nothing: its sender would write into the log", async () => {
  const { app } = openTestApp();
  const response = await app.request(mcpRequest({ headers: { "x-request-id": "forged" } }));
  expect(response.headers.get("x-request-id")).toMatch(uuid);
});

test("pages of refusals are framed and cached as little as any page", async () => {
  const { app } = openTestApp();
  for (const host of ["localhost:7420", "evil.example"]) {
    const response = await app.request("http://localhost:7420/nothing", {
      headers: { host, accept: "text/html" },
    });
    expect(response.headers.get("content-type")).toStartWith("text/html");
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
    expect(response.headers.get("cache-control")).toBe("no-store");
  }
});
