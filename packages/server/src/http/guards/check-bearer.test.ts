import { describe, expect, test } from "bun:test";
import { mcpRequest, openTestApp, token } from "../testing/open-test-app.ts";

const challenge =
  'resource_metadata="https://hub.example/.well-known/oauth-protected-resource", scope="mcp"';

describe("without a token", () => {
  test.each([
    "",
    "Basic YTpi",
    "Bearer",
    "Bearer ",
    token,
    `Token ${token}`,
  ])("Authorization %p gets 401 and a challenge without an error", async (authorization) => {
    const { app } = openTestApp();
    const response = await app.request(mcpRequest({ headers: { authorization } }));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(`Bearer ${challenge}`);
    expect(await response.json()).toEqual({ error: expect.any(String), code: "unauthorized" });
  });

  test.each([
    "GET",
    "DELETE",
    "PUT",
    "OPTIONS",
    "HEAD",
  ])("%s without a token gets 401 and the challenge", async (method) => {
    const { app } = openTestApp();
    const response = await app.request(mcpRequest({ method, headers: { authorization: "" } }));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(`Bearer ${challenge}`);
  });

  test("A token in the URL is ignored", async () => {
    const { app } = openTestApp();
    const { headers, method, body } = mcpRequest({ headers: { authorization: "" } });
    const url = `http://localhost:7420/mcp?access_token=${token}`;
    expect((await app.request(url, { headers, method, body })).status).toBe(401);
  });
});

describe("an invalid token", () => {
  test.each([
    ["unknown", `hub_pat_${"1".repeat(32)}`],
    ["of an unknown kind", "sk-live-1234"],
    ["of a thousand characters", "x".repeat(1000)],
  ])("A token that is %s gets 401 with invalid_token", async (_what, sent) => {
    const { app } = openTestApp();
    const response = await app.request(
      mcpRequest({ headers: { authorization: `Bearer ${sent}` } }),
    );
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(
      `Bearer error="invalid_token", ${challenge}`,
    );
  });

  test("A token of 200 characters is looked up, one of 201 is not", async () => {
    const lengths: number[] = [];
    const authenticate = async (sent: string) => {
      lengths.push(sent.length);
      return null;
    };
    const { app } = openTestApp({ authenticate });
    for (const length of [200, 201]) {
      const authorization = `Bearer ${"x".repeat(length)}`;
      await app.request(mcpRequest({ headers: { authorization } }));
    }
    expect(lengths).toEqual([200]);
  });

  test("A token longer than any of the hub's tokens is not looked up", async () => {
    const seen: string[] = [];
    const { app } = openTestApp({
      async authenticate(sent) {
        seen.push(sent);
        return null;
      },
    });
    await app.request(mcpRequest({ headers: { authorization: `Bearer ${"x".repeat(201)}` } }));
    expect(seen).toEqual([]);
  });
});

test("The scheme Bearer is case-insensitive", async () => {
  const { app } = openTestApp();
  const headers = { authorization: `bEARER  ${token}` };
  expect((await app.request(mcpRequest({ headers }))).status).toBe(200);
});

test("A failed token look-up gets 500, not 401", async () => {
  const failure = new Error("database is locked");
  const { app, failures } = openTestApp({ authenticate: () => Promise.reject(failure) });
  const response = await app.request(mcpRequest());
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({ error: expect.any(String), code: "internal" });
  const line = { err: failure, path: "/mcp", requestId: expect.any(String) };
  expect(failures).toEqual([[line, expect.any(String)]]);
});
