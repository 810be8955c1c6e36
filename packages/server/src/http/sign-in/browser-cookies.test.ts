import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import type { AppEnv } from "../app-env.ts";
import { enterSession } from "./browser-cookies.ts";

const token = "t".repeat(43);

/** Signs in, in a browser that sends these headers. */
async function enter({
  before = null,
  isFound = true,
  cookie = "",
}: {
  before?: SignedIn | null;
  isFound?: boolean;
  cookie?: string;
}) {
  const calls: unknown[] = [];
  const deps = {
    baseUrl: "https://hub.example",
    sessions: {
      find: async () => (isFound ? ({ user: { id: "ada" } } as SignedIn) : null),
      async end(id: string) {
        calls.push(["end", id]);
        return true;
      },
    },
    knownBrowsers: {
      async remember(sent: string | null, userId: string) {
        calls.push(["remember", sent, userId]);
        return "browser";
      },
    },
  };
  const app = new Hono<AppEnv>();
  app.get("/", async (ctx) => {
    ctx.set("session", before);
    await enterSession(deps, ctx, token);
    return ctx.text("");
  });
  const { headers } = await app.request("/", { headers: { cookie } });
  return { calls, cookies: headers.getSetCookie() };
}

test("A sign-in ends the browser's earlier session, so that its id is never signed in (session fixation)", async () => {
  const { calls } = await enter({ before: { sessionId: "s1" } as SignedIn });
  expect(calls).toContainEqual(["end", "s1"]);
  expect((await enter({})).calls).toEqual([["remember", null, "ada"]]);
});

test("A sign-in sets the session's cookie and marks the browser as known, for scripts and other sites unreadable", async () => {
  const { calls, cookies } = await enter({ cookie: "__Host-hub_browser=earlier" });
  expect(calls).toEqual([["remember", "earlier", "ada"]]);
  const flags = "Path=/; HttpOnly; Secure; SameSite=Lax";
  expect(cookies).toEqual([
    `__Host-hub_session=${token}; Max-Age=2592000; ${flags}`,
    expect.stringMatching(new RegExp(`^__Host-hub_browser=browser; Max-Age=\\d+; ${flags}$`)),
  ]);
});

test("A browser is not marked as known if its new session has already ended", async () => {
  const { calls, cookies } = await enter({ isFound: false });
  expect([calls, cookies.length]).toEqual([[], 1]);
});
