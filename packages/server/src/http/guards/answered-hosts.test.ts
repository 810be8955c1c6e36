import { describe, expect, test } from "bun:test";
import { listAnsweredHosts } from "./answered-hosts.ts";

const local = ["localhost:7420", "127.0.0.1:7420", "[::1]:7420"];

describe("listAnsweredHosts", () => {
  test("On loopback the names of this machine and of the base address are answered", () => {
    const { hosts, origins } = listAnsweredHosts({
      baseUrl: "http://localhost:7420",
      bindHost: "127.0.0.1",
      port: 7420,
    });
    expect([...hosts].sort()).toEqual(local.sort());
    expect([...origins].sort()).toEqual(local.map((host) => `http://${host}`).sort());
  });

  test("The base address is answered with and without its scheme's port", () => {
    const { hosts, origins } = listAnsweredHosts({
      baseUrl: "https://hub.example",
      bindHost: "127.0.0.1",
      port: 7420,
    });
    expect([...hosts]).toContain("hub.example");
    expect([...hosts]).toContain("hub.example:443");
    expect([...origins]).toContain("https://hub.example");
    expect([...origins]).not.toContain("http://hub.example");
  });

  test("On a public address the names of this machine are not answered", () => {
    const { hosts } = listAnsweredHosts({
      baseUrl: "https://hub.example",
      bindHost: "192.0.2.1",
      port: 80,
    });
    expect([...hosts].sort()).toEqual(
      ["192.0.2.1", "192.0.2.1:80", "hub.example", "hub.example:443"].sort(),
    );
  });

  test("The zone of a link-local address is left out", () => {
    const { hosts } = listAnsweredHosts({
      baseUrl: "https://hub.example",
      bindHost: "fe80::1%eth0",
      port: 7420,
    });
    expect([...hosts]).toContain("[fe80::1]:7420");
  });

  test.each([
    "0.0.0.0",
    "::",
  ])("On the wildcard address %s the names of this machine are answered too", (bindHost) => {
    const { hosts } = listAnsweredHosts({ baseUrl: "https://hub.example", bindHost, port: 7420 });
    for (const host of local) expect([...hosts]).toContain(host);
    expect([...hosts]).not.toContain("evil.example");
  });
});
