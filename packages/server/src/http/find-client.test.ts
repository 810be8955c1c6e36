/** Protects: who is recorded, throttled and let near the figures is who asks, not who they say they are. */
import { describe, expect, test } from "bun:test";
import { Hono } from "hono";
import { createTrustedProxies } from "../lib/trusted-proxies.ts";
import type { AppEnv } from "./app-env.ts";
import { type Client, findClient } from "./find-client.ts";

/** The client as found for a request that comes in from `peer`. */
async function find(
  peer: string | null,
  headers: Record<string, string> = {},
  proxies: readonly string[] = ["127.0.0.1", "::1", "10.0.0.0/8"],
): Promise<Client> {
  const app = new Hono<AppEnv>();
  app.use(findClient({ isProxy: createTrustedProxies(proxies) }));
  app.get("/", (ctx) => ctx.json(ctx.get("client")));
  const request = new Request("http://hub.example/", { headers });
  // Of a server nothing but the peer's address is asked.
  const server = { requestIP: () => (peer === null ? null : { address: peer }) } as never;
  return (await app.fetch(request, { server })).json() as Promise<Client>;
}

const forwarded = (list: string) => ({ "x-forwarded-for": list });

describe("a peer that nobody named", () => {
  test.each([
    ["x-forwarded-for", "198.51.100.9"],
    ["x-real-ip", "198.51.100.9"],
    ["forwarded", "for=198.51.100.9"],
    ["x-client-ip", "198.51.100.9"],
    ["cf-connecting-ip", "198.51.100.9"],
  ])("cannot pass for another by %s", async (name, value) => {
    expect((await find("203.0.113.5", { [name]: value })).ip).toBe("203.0.113.5");
    expect((await find("203.0.113.5", { [name]: value }, [])).ip).toBe("203.0.113.5");
  });

  test("cannot pass for another name by x-forwarded-host", async () => {
    const headers = { host: "hub.example", "x-forwarded-host": "evil.example" };
    expect((await find("203.0.113.5", headers)).host).toBe("hub.example");
  });

  test("cannot pass for a program on this machine", async () => {
    expect((await find("203.0.113.5", forwarded("127.0.0.1"))).isLocal).toBeFalse();
  });
});

describe("behind a proxy that was named", () => {
  test.each([
    ["one proxy", "10.0.0.7", "198.51.100.9", "198.51.100.9"],
    ["two proxies", "10.0.0.7", "198.51.100.9, 10.2.3.4", "198.51.100.9"],
    ["what the client made up", "10.0.0.7", "1.2.3.4, 198.51.100.9", "198.51.100.9"],
    ["a made-up proxy of ours", "10.0.0.7", "1.2.3.4, 10.9.9.9, 198.51.100.9", "198.51.100.9"],
    ["a socket bound to ::", "::ffff:10.0.0.7", "198.51.100.9", "198.51.100.9"],
    ["ports", "10.0.0.7", "198.51.100.9:51234", "198.51.100.9"],
    ["version 6", "::1", "[2001:DB8::9]:51234", "2001:db8::9"],
    ["no header", "10.0.0.7", "", "10.0.0.7"],
    ["a word", "10.0.0.7", "unknown", "10.0.0.7"],
    ["a word further left", "10.0.0.7", "198.51.100.9, _hidden, 10.2.3.4", "10.2.3.4"],
    ["nothing but proxies", "10.0.0.7", "10.0.0.1, 10.0.0.2", "10.0.0.1"],
  ])("the client is the first from the right that is no proxy: %s", async (_, peer, list, ip) => {
    expect((await find(peer, forwarded(list))).ip).toBe(ip);
  });

  test("the name is the one that the proxy nearest to the hub heard", async () => {
    const headers = { host: "127.0.0.1:7420", "x-forwarded-host": "made.up, hub.example" };
    expect((await find("10.0.0.7", headers)).host).toBe("hub.example");
  });
});

describe("a program on this machine", () => {
  test.each([
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "::ffff:127.0.0.1",
  ])("is known by %s", async (peer) => {
    expect((await find(peer, {}, [])).isLocal).toBeTrue();
  });

  test.each([
    "x-forwarded-for",
    "x-real-ip",
    "forwarded",
    "via",
  ])("is not what a local proxy passes on, named or not, even with an empty %s", async (name) => {
    expect((await find("127.0.0.1", { [name]: "" }, [])).isLocal).toBeFalse();
    expect((await find("127.0.0.1", { [name]: "127.0.0.1" })).isLocal).toBeFalse();
  });

  test("is nobody whose address is not known", async () => {
    expect(await find(null)).toMatchObject({ ip: null, isLocal: false });
  });
});

test("what addresses mean is remembered of a thousand, so that no flood of them fills the memory", async () => {
  const asked: string[] = [];
  const isProxy = (address: string) => {
    asked.push(address);
    return false;
  };
  const app = new Hono<AppEnv>();
  app.use(findClient({ isProxy }));
  app.get("/", (ctx) => ctx.text(ctx.get("client").ip ?? ""));
  const visit = async (n: number) => {
    const address = `10.1.${n >> 8}.${n & 255}`;
    // Of a server nothing but the peer's address is asked.
    const server = { requestIP: () => ({ address }) } as never;
    await app.fetch(new Request("http://hub.example/"), { server });
    return asked.splice(0).length;
  };
  for (let n = 0; n < 1000; n += 1) expect(await visit(n)).toBe(1);
  expect(await visit(0)).toBe(0);
  expect(await visit(1000)).toBe(1);
  expect(await visit(0)).toBe(1);
});
