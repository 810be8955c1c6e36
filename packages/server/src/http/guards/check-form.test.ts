import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import type { AppEnv } from "../app-env.ts";
import { checkForm, checkFormSource } from "./check-form.ts";

const formType = "application/x-www-form-urlencoded";
const session = { csrfToken: "token-of-the-session" } as SignedIn;

/** An app with one form, in a browser with this session. */
function openForm(signedIn: SignedIn | null) {
  const deps = { baseUrl: "http://hub.example" };
  const app = new Hono<AppEnv>();
  let reads = 0;
  app.use((ctx, next) => {
    ctx.set("session", signedIn);
    return next();
  });
  app.use(checkFormSource(deps), async (ctx, next) => {
    reads += 1;
    ctx.set("body", await ctx.req.text());
    await next();
  });
  app.post("/", checkForm(deps), (ctx) => ctx.text(ctx.get("form").get("name") ?? ""));
  app.onError((thrown) => new Response("code" in thrown ? `${thrown.code}` : "?", { status: 400 }));
  const send = async (csrf: string, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ name: "ada", csrf }).toString();
    const init = { method: "POST", headers: { "content-type": formType, ...headers }, body };
    return await (await app.request("/", init)).text();
  };
  return Object.assign(send, { countReads: () => reads });
}

test("The body of a form is not read if its browser was given no token, or if another site sends it", async () => {
  const stranger = openForm(null);
  expect(await stranger("made-up")).toBe("forbidden");
  const own = openForm(session);
  expect(await own("token-of-the-session", { "sec-fetch-site": "cross-site" })).toBe("forbidden");
  expect([stranger.countReads(), own.countReads()]).toEqual([0, 0]);
});

test.each<[string, string, Record<string, string>]>([
  ["without the header Sec-Fetch-Site", "ada", {}],
  ["of the same origin", "ada", { "sec-fetch-site": "same-origin" }],
  ["of another site", "forbidden", { "sec-fetch-site": "cross-site" }],
  ["of another host of the site", "forbidden", { "sec-fetch-site": "same-site" }],
  ["of no page", "forbidden", { "sec-fetch-site": "none" }],
  ["in another format", "unsupported_media_type", { "content-type": "text/plain" }],
  ["with parameters of its type", "ada", { "content-type": `${formType}; charset=utf-8` }],
])("A form with the session's token %s gets: %s", async (_, expected, headers) => {
  expect(await openForm(session)("token-of-the-session", headers)).toBe(expected);
});

test.each([null, session])("A form with a wrong token or none is refused", async (signedIn) => {
  const send = openForm(signedIn);
  for (const csrf of ["", "made-up", "token-of-the-session2"]) {
    expect(await send(csrf, { cookie: "hub_form=short" })).toBe("forbidden");
  }
});
