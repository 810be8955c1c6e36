import { describe, expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { mcpRequest, openTestApp } from "./testing/open-test-app.ts";

/** The answer for a page whose session cannot be read. */
async function openBrokenPage(thrown: unknown) {
  const { app, failures } = openTestApp({ findSession: () => Promise.reject(thrown) });
  const headers = { host: "localhost:7420", accept: "text/html", cookie: "__Host-hub_session=a" };
  const response = await app.request("http://localhost:7420/profile", { headers });
  const id = response.headers.get("x-request-id") ?? "";
  return { response, text: await response.text(), id, failures };
}

describe("a failure in a browser", () => {
  test("The page of an internal failure shows the request id", async () => {
    const { response, text, id, failures } = await openBrokenPage(new Error("hunter2"));
    expect([response.status, text.includes("Something went wrong")]).toEqual([500, true]);
    expect([text.includes(id), id === "", text.includes("hunter2")]).toEqual([true, false, false]);
    expect(failures).toHaveLength(1);
  });

  test("The page of a refusal shows no request id, and nothing is logged", async () => {
    const { response, text, id, failures } = await openBrokenPage(
      new HubError("forbidden", "Only admins may see this."),
    );
    expect([response.status, text.includes("Only admins may see this.")]).toEqual([403, true]);
    expect([text.includes("Not allowed"), text.includes(id)]).toEqual([true, false]);
    expect(failures).toEqual([]);
  });

  test.each([
    ["conflict", 409, "The request failed"],
    ["not_found", 404, "Page not found"],
    ["rate_limited", 429, "Too many attempts"],
    ["upstream_error", 502, "Something went wrong"],
  ] as const)("The page of the failure %s has its own title", async (code, status, title) => {
    const { response, text } = await openBrokenPage(new HubError(code, "A sentence."));
    expect([response.status, text.includes(title)]).toEqual([status, true]);
  });

  test("The page of a failure has the headers of every page", async () => {
    const { response } = await openBrokenPage(new Error("x"));
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
  });
});

test("MCP and the API answer failures in JSON, whatever the client accepts", async () => {
  const { app } = openTestApp();
  const headers = { authorization: "Bearer wrong", accept: "text/html" };
  const answers = [
    await app.request(mcpRequest({ headers })),
    await app.request("http://localhost:7420/manager/api/rows", {
      headers: { ...headers, host: "localhost:7420" },
    }),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      401,
      expect.stringContaining("application/json"),
    ]);
  }
});
