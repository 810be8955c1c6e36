/**
 * Protects: every route has a guard. A route without a row in this table fails the test, and each
 * guard is tested.
 */
import { describe, expect, test } from "bun:test";
import { appPages } from "@hub/contract/app-pages.ts";
import type { SignedIn } from "../identity/browser-sessions.ts";
import { newUser } from "../store/test-data.ts";
import { fontPath } from "./pages/font.ts";
import { stylePath } from "./pages/style.ts";
import { openTestApp } from "./testing/open-test-app.ts";

/**
 * Public, with a bearer token, with a session, or with a form of the hub's own pages. The API's
 * table is in test/api/access.test.ts.
 */
const routes: Record<string, "anyone" | "bearer" | "signed in" | "own form"> = {
  "GET /health": "anyone",
  "GET /ready": "anyone",
  // For an admin's token or a program on this machine: metrics.test.ts.
  "GET /metrics": "anyone",
  "GET /openapi.json": "anyone",
  "GET /.well-known/oauth-protected-resource": "anyone",
  "GET /.well-known/oauth-protected-resource/": "anyone",
  "GET /.well-known/oauth-protected-resource/mcp": "anyone",
  "GET /.well-known/oauth-protected-resource/mcp/": "anyone",
  "GET /.well-known/oauth-authorization-server": "anyone",
  "GET /.well-known/oauth-authorization-server/": "anyone",
  "OPTIONS /oauth/register": "anyone",
  "OPTIONS /oauth/token": "anyone",
  "OPTIONS /oauth/revoke": "anyone",
  "POST /oauth/register": "anyone",
  "POST /oauth/token": "anyone",
  "POST /oauth/revoke": "anyone",
  "GET /oauth/authorize": "anyone",
  "GET /oauth/authorize/:uid": "anyone",
  "GET /oauth/consent/:uid": "signed in",
  "POST /oauth/consent/:uid": "own form",
  [`GET ${stylePath}`]: "anyone",
  [`GET ${fontPath}`]: "anyone",
  "GET /assets/app/:name": "anyone",
  ...Object.fromEntries(
    appPages.map((path) => [`GET ${path.replaceAll("$", ":")}`, "signed in" as const]),
  ),
  "GET /auth/login": "anyone",
  "POST /auth/login": "own form",
  "POST /auth/logout": "own form",
  "GET /auth/password": "signed in",
  "POST /auth/password": "own form",
  "GET /auth/pending": "signed in",
  // After the right password in this browser: test/second-factor.
  "GET /auth/second-factor": "signed in",
  "POST /auth/second-factor": "own form",
  "GET /auth/second-factor/set-up": "signed in",
  "POST /auth/second-factor/set-up/app": "own form",
  "POST /auth/second-factor/set-up/passkey": "own form",
  "POST /auth/passkey": "own form",
  "GET /auth/fresh": "signed in",
  "POST /auth/fresh": "own form",
  "GET /auth/sso": "anyone",
  // Tested in test/single-sign-on.test.ts.
  "GET /auth/sso/callback": "anyone",
  // The signature of the provider is checked: end-by-logout.test.ts.
  "POST /auth/sso/logout": "anyone",
  // It says only what the hub tells each authorization server.
  "GET /auth/connect/client.json": "anyone",
  // Tested in test/row-connections.test.ts.
  "GET /auth/connect/callback": "anyone",
  // Tested in test/account-sign-ins.test.ts.
  "GET /auth/connect/callback/:row": "anyone",
  "GET /help": "signed in",
  "GET /help/": "signed in",
  "GET /help/:topic{.+}": "signed in",
  // What the hub is and how clients connect, without its version.
  "GET /llms.txt": "anyone",
  "GET /profile": "signed in",
  "POST /profile/sessions/end-others": "own form",
  "POST /profile/sessions/:id/end": "own form",
  "POST /profile/applications/:id/revoke": "own form",
  "GET /profile/tokens": "signed in",
  "POST /profile/tokens": "own form",
  "POST /profile/tokens/:id/revoke": "own form",
  "POST /profile/tokens/:id/rotate": "own form",
  "GET /profile/second-factor": "signed in",
  "GET /profile/second-factor/add": "signed in",
  "POST /profile/second-factor/add/app": "own form",
  "POST /profile/second-factor/add/passkey": "own form",
  "POST /profile/second-factor/codes": "own form",
  "POST /profile/second-factor/:id/remove": "own form",
  "GET /profile/mcp": "signed in",
  "GET /tools/encfields": "signed in",
  "POST /tools/encfields": "own form",
  "GET /tools/encfields/decrypt": "signed in",
  "POST /tools/encfields/decrypt": "own form",
  "ALL /mcp": "bearer",
  "POST /mcp": "bearer",
  "DELETE /mcp": "bearer",
};

const isMiddleware = (path: string) => path.endsWith("*");

test("Every route is in the table of guards", () => {
  const { app } = openTestApp();
  const isOfApi = (path: string) => /^\/\w+\/api\//.test(path);
  const served = app.routes.filter(({ path }) => !isMiddleware(path) && !isOfApi(path));
  const names = new Set(served.map(({ method, path }) => `${method} ${path}`));
  expect([...names].sort()).toEqual(Object.keys(routes).sort());
});

describe("a route behind the bearer check", () => {
  for (const [route, guard] of Object.entries(routes)) {
    if (guard !== "bearer") continue;
    const [named = "", path = ""] = route.split(" ");
    const methods = named === "ALL" ? ["GET", "HEAD", "PUT", "PATCH", "OPTIONS"] : [named];
    for (const method of methods) {
      test(`${method} ${path} refuses requests without a token, and from other origins and hosts`, async () => {
        const reached: string[] = [];
        const { app } = openTestApp({
          mcp: {
            answerPost: async () => {
              reached.push("post");
              return new Response();
            },
            endSession: () => void reached.push("end"),
          },
        });
        const ask = async (headers: Record<string, string>) => {
          const all = { host: "localhost:7420", "content-type": "application/json", ...headers };
          const body = method === "POST" ? "{}" : null;
          const request = new Request(`http://localhost:7420${path}`, {
            method,
            headers: all,
            body,
          });
          return (await app.request(request)).status;
        };
        expect(await ask({})).toBe(401);
        expect(await ask({ authorization: `Bearer hub_pat_${"1".repeat(32)}` })).toBe(401);
        expect(await ask({ host: "evil.example" })).toBe(403);
        expect(await ask({ origin: "https://evil.example" })).toBe(403);
        expect(reached).toEqual([]);
      });
    }
  }
});

describe("a page behind sign-in", () => {
  for (const [route, guard] of Object.entries(routes)) {
    if (guard !== "signed in") continue;
    test(`${route} redirects to the sign-in page without a session`, async () => {
      const { app } = openTestApp();
      const headers = { host: "localhost:7420" };
      const path = route.replace("GET ", "");
      const { status, headers: answered } = await app.request(`http://localhost:7420${path}`, {
        headers,
      });
      expect([status, answered.get("location")]).toEqual([
        303,
        expect.stringMatching(/^\/auth\/login/),
      ]);
    });
  }
});

const signedIn: SignedIn = {
  sessionId: "s1",
  csrfToken: "token-of-the-session",
  // The guards do not read the other members.
  user: newUser({ id: "u1" }) as SignedIn["user"],
  mustChangePassword: false,
  freshAt: 0,
  hasPassword: true,
};

describe("a form", () => {
  for (const [route, guard] of Object.entries(routes)) {
    if (guard !== "own form") continue;
    test(`The form ${route} is refused from another site's page, even with the right token`, async () => {
      const { app } = openTestApp({ findSession: async () => signedIn });
      const session = "a".repeat(43);
      const { status } = await app.request(`http://localhost:7420${route.replace("POST ", "")}`, {
        method: "POST",
        headers: {
          host: "localhost:7420",
          "sec-fetch-site": "cross-site",
          cookie: `hub_session=${session}; __Host-hub_session=${session}`,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: `csrf=${signedIn.csrfToken}`,
      });
      expect(status).toBe(403);
    });

    test.each([
      ["no token", { "sec-fetch-site": "same-origin" }, "a=b"],
      ["a made-up token", { "sec-fetch-site": "same-origin" }, "csrf=aaaa"],
      ["another site's page", { "sec-fetch-site": "cross-site" }, "csrf=aaaa"],
    ])(`The form ${route} is refused with %s`, async (_, given, body) => {
      const { app } = openTestApp();
      const path = route.replace("POST ", "");
      const { status } = await app.request(`http://localhost:7420${path}`, {
        method: "POST",
        headers: {
          host: "localhost:7420",
          "content-type": "application/x-www-form-urlencoded",
          ...given,
        },
        body,
      });
      expect(status).toBe(403);
    });
  }
});
