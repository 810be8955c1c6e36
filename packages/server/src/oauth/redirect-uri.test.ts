/** Protects where codes are sent: to https, to this computer, or to an app's own scheme. */
import { expect, test } from "bun:test";
import { findRedirectTarget } from "./redirect-uri.ts";

test("The target of a redirect URI is a site, a program on this computer or an app", () => {
  expect(findRedirectTarget("https://app.example/cb?x=1")).toEqual({
    kind: "site",
    host: "app.example",
  });
  for (const host of ["localhost:3000", "127.0.0.1", "[::1]:8080"]) {
    expect(findRedirectTarget(`http://${host}/cb`)).toEqual({ kind: "computer", host });
  }
  expect(findRedirectTarget("com.example.app:/oauth")).toEqual({
    kind: "app",
    scheme: "com.example.app",
  });
});

const refused = [
  "javascript:alert(1)",
  "JavaScript:alert(1)//.com",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "about:blank",
  "myapp:/cb",
  "http://app.example/cb",
  "http://127.0.0.1.evil.example/cb",
  "http://localhost@evil.example/cb",
  "https://user:password@app.example/cb",
  "https://app.example/cb#fragment",
  "https://app.example\\@evil.example/cb",
  " https://app.example/cb",
  "https://app.example/c\nb",
  "//app.example/cb",
  "/cb",
  "",
  `https://app.example/${"a".repeat(2000)}`,
];
for (const uri of refused) {
  test(`${JSON.stringify(uri.slice(0, 50))} is not accepted as a redirect URI`, () => {
    expect(findRedirectTarget(uri)).toBeNull();
  });
}
