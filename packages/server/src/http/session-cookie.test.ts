/** Protects: a session's cookie goes where it belongs, and over https only there. */
import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { AppEnv } from "./app-env.ts";
import { clearSessionCookie, readSessionCookie, setSessionCookie } from "./session-cookie.ts";

function openApp(baseUrl: string) {
  const app = new Hono<AppEnv>();
  app.get("/set", (ctx) => {
    setSessionCookie({ baseUrl }, ctx, "the-token");
    return ctx.text("");
  });
  app.get("/clear", (ctx) => {
    clearSessionCookie({ baseUrl }, ctx);
    return ctx.text("");
  });
  app.get("/read", (ctx) => ctx.text(readSessionCookie({ baseUrl }, ctx) ?? "none"));
  const setBy = async (path: string) =>
    (await app.request(path)).headers.get("set-cookie")?.split("; ").toSorted();
  const readFrom = async (cookie: string) =>
    (await app.request("/read", { headers: { cookie } })).text();
  return { setBy, readFrom };
}

test("over http no script and no other site's form has it", async () => {
  const { setBy, readFrom } = openApp("http://localhost:7420");
  const flags = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"];
  expect(await setBy("/set")).toEqual([...flags, "hub_session=the-token"]);
  expect(await readFrom("hub_session=the-token")).toBe("the-token");
});

test("over https it is for https alone, and one that a neighbouring host set counts for nothing", async () => {
  const { setBy, readFrom } = openApp("https://hub.example");
  const flags = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"];
  expect(await setBy("/set")).toEqual([...flags, "__Host-hub_session=the-token"]);
  expect(await readFrom("__Host-hub_session=the-token")).toBe("the-token");
  expect(await readFrom("hub_session=the-token")).toBe("none");
});

test("it is taken back under the name that it was given", async () => {
  expect(await openApp("https://hub.example").setBy("/clear")).toContain("__Host-hub_session=");
  expect(await openApp("http://localhost:7420").setBy("/clear")).toContain("hub_session=");
});
