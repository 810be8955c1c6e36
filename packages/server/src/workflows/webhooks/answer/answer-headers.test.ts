import { expect, test } from "bun:test";
import { isAnswerHeader, listNamedHosts, readRedirect } from "./answer-headers.ts";

test.each([
  ...["Content-Type", "Cache-Control", "Retry-After", "Link", "ETag", "Content-Disposition"],
  ...["Location", "X-Order-Id", "x-robots-tag", "Vary"],
])("A workflow can set %s", (name) => {
  expect(isAnswerHeader(name)).toBeTrue();
});

test.each([
  ...["Set-Cookie", "Access-Control-Allow-Origin", "Refresh", "Content-Security-Policy", "Alt-Svc"],
  ...[
    "X-Accel-Redirect",
    "X-Sendfile",
    "X-SENDFILE-TEMPORARY",
    "X-LIGHTTPD-send-file",
    "X-Sendfile2",
  ],
  ...["X-LiteSpeed-Location", "X-REPROXY-URL", "X-Forwarded-Host", "X-Original-URL"],
  ...["X-Hub-Run-Id", "X-Request-Id", "X-Content-Type-Options", "Transfer-Encoding", "Whatever"],
])("A workflow cannot set %s", (name) => {
  expect(isAnswerHeader(name)).toBeFalse();
});

test("The hosts of a template are those of its addresses", () => {
  const template = "{{if .a}}https://a.example/x{{else}}HTTP://B.example:8080?{{.q}}{{end}}";
  expect(listNamedHosts(template)).toEqual(["a.example", "b.example:8080"]);
  expect(listNamedHosts("https://{{.host}}/ {{.url}} //c.example/")).toEqual([]);
});

const template = "https://shop.example/{{.path}}";

test("A redirect leads to a host that stands in its template", () => {
  expect(readRedirect("https://shop.example/a b?c", template)).toBe("https://shop.example/a%20b?c");
});

test.each([
  ["https://evil.example/", template],
  ["//shop.example/", template],
  ["/orders", template],
  ["javascript:alert(1)//shop.example", template],
  ["https://shop.example:8443/", template],
  ["https://shop.example@evil.example/", "https://shop.example{{.path}}"],
  ["https://shop.example.evil.example/", "https://shop.example{{.path}}"],
  ["https://shop.example\\@evil.example/", "https://user@evil.example/"],
])("A redirect to %s is refused (open redirect)", (text, of) => {
  expect(readRedirect(text, of)).toBeNull();
});
