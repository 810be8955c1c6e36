import { describe, expect, test } from "bun:test";
import { noOAuth, openTestApp } from "../testing/open-test-app.ts";

/** An app whose authorization server records the requests it gets. */
function openStage(peer?: string) {
  const passed: Array<{ url: string; body: string; headers: Record<string, string> }> = [];
  const { app, timers } = openTestApp({
    ...(peer !== undefined && { peer }),
    oauth: {
      ...noOAuth,
      async answer(request) {
        const headers = Object.fromEntries(request.headers);
        passed.push({ url: request.url, body: await request.text(), headers });
        return Response.json({ client_id: "c1", client_id_issued_at: 1 }, { status: 201 });
      },
    },
  });
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    app.request(`http://localhost:7420${path}`, {
      method: "POST",
      headers: {
        host: "localhost:7420",
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      },
      body,
    });
  const open = (path: string) =>
    app.request(`http://localhost:7420${path}`, { headers: { host: "localhost:7420" } });
  return { passed, post, open, timers };
}

test.each([
  "/oauth/token",
  "/oauth/revoke",
])("%s is passed on without query and cookies", async (path) => {
  const { passed, post } = openStage();
  const query = "?grant_type=refresh_token&refresh_token=r&token=t&client_id=c";
  await post(`${path}${query}`, "client_id=own", { cookie: "hub_session=s", "x-other": "1" });
  expect(passed).toHaveLength(1);
  const [{ url, body, headers } = { url: "", body: "", headers: {} }] = passed;
  expect([new URL(url).pathname, new URL(url).search]).toEqual([path, ""]);
  expect(Object.fromEntries(new URLSearchParams(body))).toMatchObject({ client_id: "own" });
  expect(body).not.toContain("refresh");
  expect(Object.keys(headers).sort()).toEqual(["content-type"]);
});

test("An authorization request that is too long is refused before it is stored", async () => {
  const { passed, open } = openStage();
  const statuses = [];
  for (const chars of [5_000, 6_000]) {
    const answer = await open(`/oauth/authorize?client_id=c&state=${"s".repeat(chars)}`);
    statuses.push(answer.status);
  }
  expect([statuses[1], passed.length]).toEqual([400, 1]);
});

test("One address may send 30 registrations and 300 token requests per minute", async () => {
  const { post, timers } = openStage("203.0.113.5");
  const json = { "content-type": "application/json" };
  const registration = JSON.stringify({ redirect_uris: ["http://127.0.0.1:4000/cb"] });
  const countUntilRefused = async (ask: () => Response | Promise<Response>) => {
    let count = 0;
    while (count < 1_000 && (await ask()).status !== 429) count += 1;
    return count;
  };
  const register = () => post("/oauth/register", registration, json);
  const redeem = () => post("/oauth/token", "client_id=c");
  expect([await countUntilRefused(register), await countUntilRefused(redeem)]).toEqual([30, 300]);
  timers.advance(60_000);
  expect(await countUntilRefused(register)).toBe(30);
});

describe("a failed authorization", () => {
  /** Sends a browser's request, to which the authorization server answers with this failure. */
  function authorize(status: number, error: string, explained: string | null = null) {
    const asked: unknown[] = [];
    const { app } = openTestApp({
      oauth: {
        ...noOAuth,
        async answer(request) {
          asked.push(Object.fromEntries(request.headers));
          return Response.json({ error, error_description: "the detail" }, { status });
        },
        explainUnknownClient(clientId) {
          asked.push(clientId);
          return explained;
        },
      },
    });
    const headers = { host: "localhost:7420", cookie: "a=1", "x-other": "1" };
    const answer = app.request("http://localhost:7420/oauth/authorize?client_id=c1", { headers });
    return { asked, answer };
  }

  test.each([
    [400, "invalid_request", 400, "The request has expired or is incomplete."],
    [400, "invalid_redirect_uri", 400, "that it has not registered. Do not trust it."],
    [401, "invalid_client", 400, "The hub does not know this application"],
    [500, "server_error", 500, "An internal error occurred in the hub."],
    [503, "server_error", 500, "An internal error occurred in the hub."],
  ])("A failed authorization shows a page that says what to do: %d %s", async (status, error, shown, words) => {
    const answer = await authorize(status, error).answer;
    expect(answer.status).toBe(shown);
    expect(answer.headers.get("content-type")).toStartWith("text/html");
    const page = await answer.text();
    expect(page).toContain(words);
    expect(page).toContain(`${error}: the detail`);
  });

  test("For an unknown application, the page shows what is known about its document; for other failures it does not", async () => {
    const unknown = authorize(400, "invalid_client", "Its server does not answer.");
    expect(await (await unknown.answer).text()).toContain("Its server does not answer.");
    expect(unknown.asked).toEqual([{ accept: "text/html", cookie: "a=1" }, "c1"]);
    const other = authorize(400, "invalid_request", "Its server does not answer.");
    expect(await (await other.answer).text()).not.toContain("Its server does not answer.");
  });
});

test("A redirect of the authorization server is passed on unchanged", async () => {
  const answer = async () => Response.redirect("https://hub.example/oauth/consent/u1", 303);
  const { app } = openTestApp({ oauth: { ...noOAuth, answer } });
  const { status, headers } = await app.request("http://localhost:7420/oauth/authorize/u1", {
    headers: { host: "localhost:7420" },
  });
  expect([status, headers.get("location")]).toEqual([303, "https://hub.example/oauth/consent/u1"]);
});
