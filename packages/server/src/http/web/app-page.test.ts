import { describe, expect, test } from "bun:test";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { newUser } from "../../store/test-data.ts";
import { fontFaces, fontPath } from "../pages/font.ts";
import { openTestApp } from "../testing/open-test-app.ts";
import type { WebFiles } from "./web-files.ts";

const name = "main.abc123.js";
const web: WebFiles = {
  entry: name,
  preloads: [],
  styles: ["main.abc123.css"],
  files: new Map([
    [
      name,
      {
        type: "text/javascript; charset=utf-8",
        body: new Blob(["plain"]),
        brotli: new Blob(["brotli"]),
        gzip: new Blob(["gzip"]),
      },
    ],
  ]),
};

const signedIn: SignedIn = {
  sessionId: "s1",
  csrfToken: "t",
  // The guards do not read the other members.
  user: newUser({ id: "u1" }) as SignedIn["user"],
  mustChangePassword: false,
  freshAt: 0,
  hasPassword: true,
};

function open(loadWeb: () => Promise<WebFiles | null> = async () => web) {
  const { app } = openTestApp({ loadWeb, findSession: async () => signedIn });
  return (path: string, headers: Record<string, string> = {}) =>
    app.request(`http://localhost:7420${path}`, {
      headers: {
        host: "localhost:7420",
        accept: "text/html",
        cookie: `__Host-hub_session=${"a".repeat(43)}`,
        ...headers,
      },
    });
}

describe("The document of the app", () => {
  test("Each answer has a nonce of its own, which its scripts and its policy share", async () => {
    const ask = open();
    const nonces = new Set<string>();
    for (const path of ["/", "/manager/runs", "/manager/runs/x"]) {
      const answer = await ask(path);
      const policy = answer.headers.get("content-security-policy") ?? "";
      const nonce = /script-src 'nonce-([\w-]{22})' 'strict-dynamic';/.exec(policy)?.[1] ?? "";
      const text = await answer.text();
      expect(text).toContain(`<script type="module" nonce="${nonce}" src="/assets/app/${name}">`);
      expect(text).toContain(`<style nonce="${nonce}">${fontFaces}</style>`);
      expect(text).toContain(`<link rel="preload" href="${fontPath}" as="font" type="font/woff2"`);
      expect(policy).not.toMatch(/unsafe|\*|http/);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(policy).toContain("font-src 'self';");
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  test("Only a known value of the cookie chooses the colours", async () => {
    const ask = open();
    const session = `__Host-hub_session=${"a".repeat(43)}`;
    const dark = await ask("/", { cookie: `${session}; hub_scheme=dark` });
    expect(await dark.text()).toContain('<html lang="en" data-scheme="dark" data-menu="open">');
    const odd = await ask("/", { cookie: `${session}; hub_scheme="><script>` });
    expect(await odd.text()).toContain('<html lang="en" data-menu="open">');
  });

  test("The menu is folded as the cookie says, and on graphs of workflows until it was opened there", async () => {
    const ask = open();
    const session = `__Host-hub_session=${"a".repeat(43)}`;
    const readMenu = async (path: string, cookie = "") => {
      const answer = await ask(path, { cookie: session + cookie });
      return /data-menu="(\w+)"/.exec(await answer.text())?.[1];
    };
    expect(await readMenu("/workflows/a/edit")).toBe("folded");
    expect(await readMenu("/workflows/a/edit", "; hub_menu=open")).toBe("folded");
    expect(await readMenu("/workflows/a/runs/b", "; hub_graph_menu=open")).toBe("open");
    expect(await readMenu("/manager/runs", "; hub_menu=folded; hub_graph_menu=open")).toBe(
      "folded",
    );
    expect(await readMenu("/manager/runs", '; hub_menu="><script>')).toBe("open");
  });

  test("A program without the app sends / to the profile and says what else is missing", async () => {
    const ask = open(async () => null);
    expect((await ask("/")).headers.get("location")).toBe("/profile");
    const missing = await ask("/manager/runs");
    expect(missing.status).toBe(503);
    expect(await missing.text()).toContain("Use the command line.");
  });
});

describe("A file of the app", () => {
  test.each([
    ["br, gzip", "br", "brotli"],
    ["gzip", "gzip", "gzip"],
    ["identity", null, "plain"],
  ])("It is cached forever, and compressed for %s", async (accepted, encoding, text) => {
    const answer = await open()(`/assets/app/${name}`, { "accept-encoding": accepted });
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(answer.headers.get("vary")).toBe("Accept-Encoding");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toContain("immutable");
    expect(await answer.text()).toBe(text);
  });

  test.each([
    "unknown.js",
    "manifest.json",
    "..%2f..%2fpackage.json",
    "__proto__",
    "main.abc123.js.br",
  ])("The file %s is unknown", async (path) => {
    expect((await open()(`/assets/app/${path}`)).status).toBe(404);
  });
});
