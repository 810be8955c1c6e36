import { describe, expect, test } from "bun:test";
import { findAddress, findKind, toForms } from "./address.ts";

const kinds: Record<string, string> = {
  "8.8.8.8": "public",
  "2606:4700:4700::1111": "public",
  "127.0.0.1": "loopback",
  "127.255.255.254": "loopback",
  "::1": "loopback",
  "10.0.0.1": "private",
  "172.16.0.1": "private",
  "172.31.255.255": "private",
  "172.32.0.1": "public",
  "192.168.1.1": "private",
  "169.254.1.1": "link-local",
  "fe80::1": "link-local",
  "fe80::1%eth0": "link-local",
  "100.64.0.1": "carrier-grade NAT",
  "100.128.0.1": "public",
  "fc00::1": "unique local",
  "fd12:3456::1": "unique local",
  "224.0.0.1": "multicast",
  "ff02::1": "multicast",
  "0.0.0.0": "unspecified",
  "0.1.2.3": "unspecified",
  "::": "unspecified",
  "255.255.255.255": "broadcast",
  "192.0.2.1": "reserved",
  "198.18.0.1": "reserved",
  "203.0.113.9": "reserved",
  "240.0.0.1": "reserved",
  "2001:db8::1": "reserved",
  "2001::1": "reserved",
  "100::1": "reserved",
  "fec0::1": "reserved",
  "4000::1": "reserved",
  "::ffff:127.0.0.1": "loopback",
  "::ffff:8.8.8.8": "public",
  "::127.0.0.1": "loopback",
  "::7f00:1": "loopback",
  "::808:808": "reserved",
  "::ffff:0:10.0.0.1": "private",
  "64:ff9b::10.0.0.1": "private",
  "64:ff9b::8.8.8.8": "public",
  "64:ff9b:1::8.8.8.8": "reserved",
  "2002:7f00:1::": "loopback",
  "2002:808:808::1": "public",
};

describe("the kind of an address", () => {
  for (const [text, kind] of Object.entries(kinds)) {
    test(`${text} is ${kind}`, () => {
      const address = findAddress(text);
      expect(address && findKind(address)).toBe(kind as ReturnType<typeof findKind>);
    });
  }
});

test("An address that embeds another one has the kinds of both", () => {
  const forms = (text: string) => {
    const address = findAddress(text);
    return address === null ? [] : toForms(address).map(String);
  };
  expect(forms("10.0.0.1")).toEqual(["10.0.0.1"]);
  expect(forms("::ffff:10.0.0.1")).toEqual(["::ffff:a00:1", "10.0.0.1"]);
  expect(forms("2002:a9fe:a9fe::")).toEqual(["2002:a9fe:a9fe::", "169.254.169.254"]);
});

test("Only plain notations are addresses; the URL parser handles the others", () => {
  for (const text of ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "[::1]", "name", ""]) {
    expect(findAddress(text)).toBeNull();
  }
});
