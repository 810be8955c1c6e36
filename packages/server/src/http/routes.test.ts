import { describe, expect, test } from "bun:test";
import { mcpRequest, openTestApp, ping } from "./testing/open-test-app.ts";

describe("/mcp", () => {
  test("A message that passes every guard is answered", async () => {
    const { app } = openTestApp();
    const response = await app.request(mcpRequest());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test.each([
    "GET",
    "PUT",
    "PATCH",
    "OPTIONS",
    "HEAD",
  ])("/mcp answers %s with 405 and Allow: POST", async (method) => {
    const { app } = openTestApp();
    const response = await app.request(mcpRequest({ method }));
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  test("DELETE ends a session with 204, and a second DELETE gets 404", async () => {
    const { app } = openTestApp();
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}';
    const started = await app.request(mcpRequest({ body }));
    const headers = { "mcp-session-id": started.headers.get("mcp-session-id") ?? "" };
    const [ended, again, used] = [
      await app.request(mcpRequest({ method: "DELETE", headers })),
      await app.request(mcpRequest({ method: "DELETE", headers })),
      await app.request(mcpRequest({ headers })),
    ];
    expect([ended.status, again.status, used.status]).toEqual([204, 404, 404]);
  });

  test("DELETE without a session gets 405", async () => {
    const { app } = openTestApp();
    const response = await app.request(mcpRequest({ method: "DELETE" }));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "",
  ])("/mcp refuses a body of type %p with 415", async (type) => {
    const { app } = openTestApp();
    const request = mcpRequest({ headers: { "content-type": type } });
    const response = await app.request(request);
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ code: "unsupported_media_type" });
  });

  test("/mcp accepts JSON with parameters in its type, and no compressed bodies", async () => {
    const { app } = openTestApp();
    const plain = { "content-type": "Application/JSON; charset=utf-8" };
    const zipped = { "content-encoding": "gzip" };
    expect((await app.request(mcpRequest({ headers: plain }))).status).toBe(200);
    expect((await app.request(mcpRequest({ headers: zipped }))).status).toBe(415);
  });

  test("The guards of /mcp run in the order that clients rely on", async () => {
    const { app } = openTestApp();
    const wrong = {
      host: "evil.example",
      authorization: "Bearer wrong",
      "content-length": "99999999",
      "content-type": "text/plain",
    };
    const statuses: number[] = [];
    const ask = async (headers: Partial<typeof wrong>, method = "POST") =>
      statuses.push((await app.request(mcpRequest({ method, body: ping, headers }))).status);
    await ask(wrong);
    const { host: _host, ...known } = wrong;
    await ask(known);
    const { authorization: _token, ...allowed } = known;
    await ask(allowed, "PUT");
    await ask(allowed);
    const { "content-length": _length, ...short } = allowed;
    await ask(short);
    const response = await app.request(mcpRequest({ body: "{" }));
    expect([...statuses, response.status]).toEqual([403, 401, 405, 413, 415, 400]);
  });

  test("The cause of an internal failure is logged and not sent to the client", async () => {
    const failure = new Error("the secret is hunter2");
    const { app, failures } = openTestApp({
      mcp: {
        answerPost: () => Promise.reject(failure),
        endSession: () => {},
      },
    });
    const response = await app.request(mcpRequest());
    const text = await response.text();
    expect([response.status, text.includes("hunter2")]).toEqual([500, false]);
    const line = { err: failure, path: "/mcp", requestId: expect.any(String) };
    expect(failures).toEqual([[line, expect.any(String)]]);
  });
});

test("An unknown address gets 404 as JSON", async () => {
  const { app } = openTestApp();
  for (const path of ["/mcp/x", "/mcpx", "/.well-known/nothing"]) {
    const response = await app.request(`http://localhost:7420${path}`, {
      headers: { host: "localhost:7420" },
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: expect.any(String), code: "not_found" });
  }
});

test("/health answers that the server runs", async () => {
  const { app } = openTestApp();
  const response = await app.request("http://localhost:7420/health");
  expect(await response.json()).toEqual({ status: "ok" });
});

test("Refusals are logged once per minute and code, with their number (log flooding)", async () => {
  const { app, warnings, failures, timers } = openTestApp();
  const knock = () => app.request(mcpRequest({ headers: { authorization: "Bearer wrong" } }));
  for (let count = 0; count < 100; count += 1) await knock();
  await app.request(mcpRequest({ headers: { host: "evil.example" } }));
  timers.advance(60_000);
  await knock();
  expect(warnings).toEqual([
    [{ code: "unauthorized", refused: 1 }, expect.any(String)],
    [{ code: "forbidden", refused: 1 }, expect.any(String)],
    [{ code: "unauthorized", refused: 100 }, expect.any(String)],
  ]);
  expect(failures).toEqual([]);
});

test("A GET for a stream with a valid token is not logged as a refusal", async () => {
  const { app, warnings } = openTestApp();
  for (const method of ["GET", "DELETE"]) await app.request(mcpRequest({ method }));
  expect(warnings).toEqual([]);
});
