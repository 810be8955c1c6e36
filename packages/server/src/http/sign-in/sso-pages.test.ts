import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import type { AppEnv } from "../app-env.ts";
import { finishSingleSignOn, type SsoPageDeps } from "./sso-pages.ts";

test("The answer to a single sign-on has the cookies of the session and of the known browser", async () => {
  const deps: SsoPageDeps = {
    hasPasskeys: async () => false,
    factorSignIn: {
      ring: {
        current() {
          throw new Error("It is not used.");
        },
      },
      now: () => 0,
    },
    baseUrl: "https://hub.example",
    sessions: {
      // The page uses no other members.
      find: async () => ({ user: { id: "ada" } }) as SignedIn,
      end: async () => true,
    },
    knownBrowsers: { remember: async () => "browser" },
    singleSignOn: {
      name: "Example ID",
      begin: () => Promise.reject(new Error("It is not used.")),
      endByLogout: async () => {},
      finish: async () => ({ token: "t".repeat(43), destination: "/profile" }),
    },
  };
  const app = new Hono<AppEnv>();
  app.use(async (ctx, next) => {
    ctx.set("client", { ip: null, host: null, isLocal: false });
    ctx.set("session", { sessionId: "s1" } as SignedIn);
    await next();
  });
  app.get("/auth/sso/callback", finishSingleSignOn(deps));
  const { status, headers } = await app.request("/auth/sso/callback?code=c");
  expect([status, headers.get("location")]).toEqual([303, "/profile"]);
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-hub_sso=; Max-Age=0;/),
    expect.stringMatching(/^__Host-hub_session=t{43};/),
    expect.stringMatching(/^__Host-hub_browser=browser;/),
  ]);
});
