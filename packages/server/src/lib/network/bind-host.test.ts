import { expect, test } from "bun:test";
import { isLoopbackHost, toDefaultBaseUrl } from "./bind-host.ts";

test.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["localhost", true],
  ["::1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.0.2.1", false],
  ["127.evil.example", false],
])("A server on %s is reachable from this machine only: %p", (host, isLoopback) => {
  expect(isLoopbackHost(host)).toBe(isLoopback);
});

test.each([
  ["127.0.0.1", "http://localhost:7420"],
  ["0.0.0.0", "http://localhost:7420"],
  ["192.0.2.1", "http://192.0.2.1:7420"],
  ["2001:db8::1", "http://[2001:db8::1]:7420"],
])("The default address of a hub bound to %s is %s", (host, url) => {
  expect(toDefaultBaseUrl(host, 7420)).toBe(url);
});
