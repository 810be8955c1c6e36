import { expect, test } from "bun:test";
import { mcpRequest, openTestApp } from "../testing/open-test-app.ts";

test.each([
  "https://hub.example",
  "http://localhost:7420",
  "http://127.0.0.1:7420",
  "HTTP://[::1]:7420",
])("Origin %s is answered", async (origin) => {
  const { app } = openTestApp();
  expect((await app.request(mcpRequest({ headers: { origin } }))).status).toBe(200);
});

test.each([
  "https://evil.example",
  "http://hub.example",
  "https://hub.example:8443",
  "https://hub.example.evil.example",
  "http://localhost:3000",
  "null",
  "file://",
  "https://hub.example/path",
])("Origin %s is refused before the token is checked", async (origin) => {
  const { app } = openTestApp();
  const response = await app.request(mcpRequest({ headers: { origin, authorization: "" } }));
  expect(response.status).toBe(403);
  expect(await response.json()).toEqual({ error: expect.any(String), code: "forbidden" });
});

test("Requests without Origin are answered", async () => {
  const { app } = openTestApp();
  expect((await app.request(mcpRequest())).status).toBe(200);
});
