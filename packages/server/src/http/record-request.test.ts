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
])("Every answer carries a request id: %s %j", async (path, headers, status) => {
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

test("An internal failure is logged with the request id of its answer", async () => {
  const { app, failures } = openTestApp({
    authenticate: () => Promise.reject(new Error("broken")),
  });
  const response = await app.request(mcpRequest());
  const requestId = response.headers.get("x-request-id");
  expect(response.status).toBe(500);
  expect(failures).toEqual([[expect.objectContaining({ requestId }), expect.any(String)]]);
});

test("A request id from the client is ignored (log injection)", async () => {
  const { app } = openTestApp();
  const response = await app.request(mcpRequest({ headers: { "x-request-id": "forged" } }));
  expect(response.headers.get("x-request-id")).toMatch(uuid);
});

test("Error pages have the security headers of every page", async () => {
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
