/** Protects: an approver reads the host to which a request goes, and never another one. */
import { expect, test } from "bun:test";
import { findRequestHost } from "./find-request-host.ts";

test.each([
  ["https://api.example.com", "api.example.com"],
  ["https://API.example.com:8443/orders?to=other.example", "api.example.com:8443"],
  ["http://[::1]:80/x", "[::1]"],
  ["https://good.example@evil.example/", "evil.example"],
  ["https://good.example\\@evil.example/", "good.example"],
  ["https://g\u043eod.example/", "xn--god-sed.example"],
  ["https://[secret]/", null],
  ["https://api.[secret].example/", null],
  ["mailto:ann@example.com", null],
  ["not an address", null],
  ["", null],
])("The host of a request to %s is %p", (url, host) => {
  expect(findRequestHost(url, true)).toBe(host);
});

test.each([
  ["https://api.example.com/{{.Item}}", "api.example.com"],
  ["https://api.example.com?x={{.Item}}", "api.example.com"],
  ["https://api.example.com", "api.example.com"],
  ["https://api.example.com{{.Item}}", null],
  ["https://api.example.com:{{.Item}}/", null],
  ["https://{{.Item}}@api.example.com/", null],
  ["https://{{.Item}}/", null],
  ["https:{{.Item}}", null],
  ["{{.Item}}", null],
])("The host of a request to the template %s is %p", (url, host) => {
  expect(findRequestHost(url, false)).toBe(host);
});
