/** Protects: a client cannot forge the address that is recorded, rate limited and checked for metrics. */
import { describe, expect, test } from "bun:test";
import { createTrustedProxies } from "../../lib/network/trusted-proxies.ts";
import { serverFor } from "../testing/open-test-app.ts";
import { createClientFinder } from "./find-client.ts";
import type { Client } from "./http-client.ts";

/** The client of a request from `peer`. */
function find(
  peer: string | null,
  headers: Record<string, string> = {},
  proxies: readonly string[] = ["127.0.0.1", "::1", "10.0.0.0/8"],
): Client {
  const findClient = createClientFinder({ isProxy: createTrustedProxies(proxies) });
  const request = new Request("http://hub.example/", { headers });
  return findClient(request, peer === null ? undefined : serverFor(peer));
}

const forwarded = (list: string) => ({ "x-forwarded-for": list });

describe("a peer that is not a trusted proxy", () => {
  test.each([
    ["x-forwarded-for", "198.51.100.9"],
    ["x-real-ip", "198.51.100.9"],
    ["forwarded", "for=198.51.100.9"],
    ["x-client-ip", "198.51.100.9"],
    ["cf-connecting-ip", "198.51.100.9"],
  ])("An untrusted peer cannot change its address with %s", async (name, value) => {
    expect(find("203.0.113.5", { [name]: value }).ip).toBe("203.0.113.5");
    expect(find("203.0.113.5", { [name]: value }, []).ip).toBe("203.0.113.5");
  });

  test("An untrusted peer cannot change the host with x-forwarded-host", async () => {
    const headers = { host: "hub.example", "x-forwarded-host": "evil.example" };
    expect(find("203.0.113.5", headers).host).toBe("hub.example");
  });

  test("An untrusted peer cannot pass as a program on this machine", async () => {
    expect(find("203.0.113.5", forwarded("127.0.0.1")).isLocal).toBeFalse();
  });
});

describe("behind a trusted proxy", () => {
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
  ])("The client is the first address from the right that is not a trusted proxy: %s", async (_, peer, list, ip) => {
    expect(find(peer, forwarded(list)).ip).toBe(ip);
  });

  test("At most 32 proxies are passed over (attack: a header of thousands of addresses)", () => {
    const list = ["198.51.100.9", ...Array.from({ length: 40 }, (_, at) => `10.0.0.${at}`)];
    expect(find("10.0.0.7", forwarded(list.join(", "))).ip).toBe("10.0.0.8");
    expect(find("10.0.0.7", forwarded(list.slice(0, 32).join(", "))).ip).toBe("198.51.100.9");
  });

  test("The host is the one that the nearest proxy received", async () => {
    const headers = { host: "127.0.0.1:7420", "x-forwarded-host": "made.up, hub.example" };
    expect(find("10.0.0.7", headers).host).toBe("hub.example");
  });
});

describe("a program on this machine", () => {
  test.each([
    "127.0.0.1",
    "127.8.8.8",
    "::1",
    "::ffff:127.0.0.1",
  ])("A peer at %s is a program on this machine", async (peer) => {
    expect(find(peer, {}, []).isLocal).toBeTrue();
  });

  test.each([
    "x-forwarded-for",
    "x-real-ip",
    "forwarded",
    "via",
  ])("A request that a local proxy forwards is not local, trusted or not, even with an empty %s", async (name) => {
    expect(find("127.0.0.1", { [name]: "" }, []).isLocal).toBeFalse();
    expect(find("127.0.0.1", { [name]: "127.0.0.1" }).isLocal).toBeFalse();
  });

  test("A request without a peer address is not local", async () => {
    expect(find(null)).toMatchObject({ ip: null, isLocal: false });
  });
});

test("The cache of peer addresses has at most 1,000 entries (memory exhaustion)", async () => {
  const asked: string[] = [];
  const isProxy = (address: string) => {
    asked.push(address);
    return false;
  };
  const findClient = createClientFinder({ isProxy });
  const visit = async (n: number) => {
    const address = `10.1.${n >> 8}.${n & 255}`;
    findClient(new Request("http://hub.example/"), serverFor(address));
    return asked.splice(0).length;
  };
  for (let n = 0; n < 1000; n += 1) expect(await visit(n)).toBe(1);
  expect(await visit(0)).toBe(0);
  expect(await visit(1000)).toBe(1);
  expect(await visit(0)).toBe(1);
});

describe("a proxy that the settings do not name", () => {
  test.each([
    ["a private address is told once", ["10.0.0.5", "10.0.0.6"], [], ["10.0.0.5"]],
    ["a program on this machine is told", ["127.0.0.1"], [], ["127.0.0.1"]],
    ["a trusted proxy is not told", ["10.0.0.5"], ["10.0.0.0/8"], []],
    ["a stranger on the internet is not told, who can send any header", ["203.0.113.5"], [], []],
  ])("A sender of forwarding headers: %s", (_, peers, proxies, told) => {
    const recorded: string[] = [];
    const findClient = createClientFinder({
      isProxy: createTrustedProxies(proxies),
      recordForwarder: (ip) => void recorded.push(ip),
    });
    const headers = forwarded("198.51.100.9");
    for (const peer of peers) {
      findClient(new Request("http://hub.example/"), serverFor(peer));
      findClient(new Request("http://hub.example/", { headers }), serverFor(peer));
    }
    expect(recorded).toEqual(told);
  });
});
