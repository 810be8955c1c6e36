import { describe, expect, test } from "bun:test";
import { findAddress, toForms } from "./address.ts";
import { findAllowFault, toOutboundRules } from "./outbound-policy.ts";

const allowsHost = (entries: { savedHosts?: string[]; allow?: string[] }, url: string) =>
  toOutboundRules({ savedHosts: [], allow: [], ...entries }).allowsHost(new URL(url));

const allowsAddress = (allow: string[], text: string, port = 443) => {
  const address = findAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return toOutboundRules({ savedHosts: [], allow }).allowsAddress(toForms(address), port);
};

describe("a saved host", () => {
  test("A saved host is allowed only on its port", () => {
    const savedHosts = ["localhost:3000"];
    expect(allowsHost({ savedHosts }, "http://localhost:3000/x")).toBe(true);
    expect(allowsHost({ savedHosts }, "http://localhost:6379/")).toBe(false);
    expect(allowsHost({ savedHosts }, "http://localhost/")).toBe(false);
  });

  test("A saved host without a port is allowed on the scheme's default port", () => {
    const savedHosts = ["GitLab.lan"];
    expect(allowsHost({ savedHosts }, "http://gitlab.lan/")).toBe(true);
    expect(allowsHost({ savedHosts }, "https://gitlab.lan:443/")).toBe(true);
    expect(allowsHost({ savedHosts }, "https://gitlab.lan:8443/")).toBe(false);
  });

  test("A saved host does not allow hosts that contain its name", () => {
    const savedHosts = ["gitlab.lan"];
    expect(allowsHost({ savedHosts }, "http://x.gitlab.lan/")).toBe(false);
    expect(allowsHost({ savedHosts }, "http://gitlab.lan.evil.test/")).toBe(false);
  });
});

describe("an entry of HUB_OUTBOUND_ALLOW", () => {
  test("A HUB_OUTBOUND_ALLOW entry allows a host on every port, or on its port", () => {
    expect(allowsHost({ allow: ["nas.lan"] }, "https://NAS.lan:8443/")).toBe(true);
    expect(allowsHost({ allow: ["nas.lan"] }, "http://nas.lan./")).toBe(true);
    expect(allowsHost({ allow: ["nas.lan:8443"] }, "https://nas.lan:8443/")).toBe(true);
    expect(allowsHost({ allow: ["nas.lan:8443"] }, "https://nas.lan/")).toBe(false);
    expect(allowsHost({ allow: ["nas.lan:443"] }, "https://nas.lan/")).toBe(true);
  });

  test("A HUB_OUTBOUND_ALLOW entry allows an address under every name and in every notation", () => {
    expect(allowsAddress(["10.1.2.3"], "10.1.2.3")).toBe(true);
    expect(allowsAddress(["10.1.2.3"], "::ffff:10.1.2.3")).toBe(true);
    expect(allowsAddress(["10.1.2.3"], "10.1.2.4")).toBe(false);
    expect(allowsAddress(["10.1.2.3:80"], "10.1.2.3", 81)).toBe(false);
    expect(allowsAddress(["::1"], "::1")).toBe(true);
    expect(allowsAddress(["[::1]:8080"], "::1", 8080)).toBe(true);
    expect(allowsAddress(["[::1]:8080"], "::1", 80)).toBe(false);
  });

  test("A HUB_OUTBOUND_ALLOW entry allows a network", () => {
    expect(allowsAddress(["10.0.0.0/8"], "10.200.0.1")).toBe(true);
    expect(allowsAddress(["10.0.0.0/8"], "11.0.0.1")).toBe(false);
    expect(allowsAddress(["fd00::/8"], "fd12::1")).toBe(true);
    expect(allowsAddress(["fd00::/8"], "10.0.0.1")).toBe(false);
  });

  test("The error for an invalid HUB_OUTBOUND_ALLOW entry says what to write", () => {
    const good = [
      "nas.lan",
      "nas_1.lan:80",
      "10.0.0.0/8",
      "fd00::/8",
      "::1",
      "[::1]:80",
      "10.1.2.3",
    ];
    expect(findAllowFault(good)).toBeNull();
    const bad = [
      "http://nas.lan",
      "nas.lan/x",
      "10.0.0.0/33",
      "10/8",
      "0x7f.1",
      "a b",
      "",
      "x:99999",
    ];
    for (const entry of [...bad, "*.lan", "[nas]", "127.1"]) {
      expect(findAllowFault(["nas.lan", entry])).toContain(`"${entry}" is not a host`);
    }
    expect(() => toOutboundRules({ savedHosts: [], allow: ["127.1"] })).toThrow(
      /HUB_OUTBOUND_ALLOW/,
    );
  });
});
