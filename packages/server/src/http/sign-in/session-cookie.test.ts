/** Protects: scripts and other sites cannot use the session cookie, and https hubs send it over https only. */
import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { AppEnv } from "../app-env.ts";
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

test("Over http the cookie is HttpOnly and SameSite", async () => {
  const { setBy, readFrom } = openApp("http://localhost:7420");
  const flags = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"];
  expect(await setBy("/set")).toEqual([...flags, "hub_session=the-token"]);
  expect(await readFrom("hub_session=the-token")).toBe("the-token");
});

test("Over https the cookie is Secure, and one set by another host of the domain is ignored", async () => {
  const { setBy, readFrom } = openApp("https://hub.example");
  const flags = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"];
  expect(await setBy("/set")).toEqual([...flags, "__Host-hub_session=the-token"]);
  expect(await readFrom("__Host-hub_session=the-token")).toBe("the-token");
  expect(await readFrom("hub_session=the-token")).toBe("none");
});

test("The cookie is deleted under the name with which it was set", async () => {
  expect(await openApp("https://hub.example").setBy("/clear")).toContain("__Host-hub_session=");
  expect(await openApp("http://localhost:7420").setBy("/clear")).toContain("hub_session=");
});
