import { expect, test } from "bun:test";
import { mcpRequest, openTestApp } from "../testing/open-test-app.ts";

test.each([
  "localhost:7420",
  "127.0.0.1:7420",
  "[::1]:7420",
  "hub.example",
  "HUB.Example:443",
])("Host %s is answered", async (host) => {
  const { app } = openTestApp();
  expect((await app.request(mcpRequest({ headers: { host } }))).status).toBe(200);
});

test.each([
  "evil.example",
  "evil.example:7420",
  "localhost",
  "localhost:80",
  "localhost:7420.evil.example",
  "hub.example.evil.example",
  "hub.example:7420",
])("Host %s is refused before any other check (DNS rebinding)", async (host) => {
  const { app } = openTestApp();
  const response = await app.request(mcpRequest({ headers: { host, authorization: "" } }));
  expect(response.status).toBe(403);
  expect(await response.json()).toEqual({ error: expect.any(String), code: "forbidden" });
});

test("A request without Host is refused", async () => {
  const { app } = openTestApp();
  expect((await app.request(mcpRequest({ headers: { host: "" } }))).status).toBe(403);
});

test("Forwarding headers of untrusted clients do not replace Host", async () => {
  const { app } = openTestApp();
  const headers = { host: "evil.example", "x-forwarded-host": "hub.example" };
  expect((await app.request(mcpRequest({ headers }))).status).toBe(403);
});

test("/health is answered under any host name", async () => {
  const { app } = openTestApp();
  const response = await app.request("http://10.0.0.7:7420/health", {
    headers: { host: "10.0.0.7:7420" },
  });
  expect(response.status).toBe(200);
});
