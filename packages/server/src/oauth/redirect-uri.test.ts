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

test.each([
  ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor"],
  ["vscode://x.y/cb", "vscode"],
  ["vscode-insiders://ms-python.mcp/cb?x=1", "vscode-insiders"],
  ["windsurf://codeium.windsurf/oauth", "windsurf"],
  ["warp://mcp/oauth2callback", "warp"],
  ["Raycast://oauth?package_name=Extension", "raycast"],
  ["com.raycast:/oauth?package_name=Extension", "com.raycast"],
  ["obsidian://mcp-callback", "obsidian"],
  ["zed:/oauth", "zed"],
  ["myapp:/cb", "myapp"],
  ["x-my+app2:cb", "x-my+app2"],
])("%s belongs to the app of its scheme", (uri, scheme) => {
  expect(findRedirectTarget(uri)).toEqual({ kind: "app", scheme });
});

const schemes = [
  ...["javascript", "vbscript", "data", "file", "blob", "filesystem", "view-source", "about"],
  ...[
    "ftp",
    "ws",
    "wss",
    "mailto",
    "tel",
    "sms",
    "urn",
    "jar",
    "resource",
    "ssh",
    "smb",
    "search-ms",
  ],
  ...["intent", "android-app", "chrome", "chrome-extension", "chrome-untrusted", "googlechrome"],
  ...["ms-settings", "ms-word", "ms-msdt", "moz-extension", "microsoft-edge", "edge", "shell"],
  ...["web+mcp", "ext+mcp", "itms-services", "x-apple-helpbasic", "magnet", "ipfs", "c", "http"],
];
for (const scheme of schemes) {
  test(`The scheme ${scheme} is not an app's own`, () => {
    for (const form of [scheme, scheme.toUpperCase()]) {
      expect(findRedirectTarget(`${form}://x.y/cb`)).toBeNull();
      // Of `http:`, the parser reads a host after the first slash.
      if (scheme !== "http") expect(findRedirectTarget(`${form}:alert(1)`)).toBeNull();
    }
  });
}

const refused = [
  "javascript:alert(1)",
  "JavaScript:alert(1)//.com",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "about:blank",
  "java\tscript:alert(1)",
  "localhost:3000/callback",
  "cursor://user@x.y/cb",
  "cursor://x.y/cb#fragment",
  "cursor://x.y/\u00fc",
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
