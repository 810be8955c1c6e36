import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { AppEnv } from "../app-env.ts";
import { createClientFinder } from "../clients/find-client.ts";
import { openTestApp, serverFor } from "../testing/open-test-app.ts";
import { limitPages } from "./limit-addresses.ts";

const localPage = { host: "localhost:7420", accept: "text/html" };
const url = "http://localhost:7420/auth/sso";

test("An address that sends too many requests gets a page that says to wait", async () => {
  const { app } = openTestApp();
  const ask = () => app.request(url, { headers: localPage });
  for (let asked = 0; asked < 120; asked += 1) expect((await ask()).status).toBe(404);
  const refused = await ask();
  expect([refused.status, await refused.text()]).toEqual([
    429,
    expect.stringContaining("Try again in a minute"),
  ]);
});

test("The addresses of one IPv6 network share a limit, and other networks have their own", async () => {
  const app = new Hono<AppEnv>();
  const findClient = createClientFinder({ isProxy: () => true });
  app.use((ctx, next) => {
    ctx.set("client", findClient(ctx.req.raw, ctx.env.server));
    return next();
  });
  app.get("/", limitPages({ perMinute: 2, now: () => 0 }), (ctx) => ctx.text("hello"));
  app.onError((failure, ctx) => ctx.text(failure.message, 429));
  const ask = async (address: string) => {
    const server = serverFor("192.0.2.1");
    return (await app.request("/", { headers: { "x-forwarded-for": address } }, { server })).status;
  };
  expect([await ask("2001:db8::1"), await ask("2001:db8::2")]).toEqual([200, 200]);
  expect(await ask("2001:db8::3")).toBe(429);
  expect(await ask("2001:db8:0:1::2")).toBe(200);
});
