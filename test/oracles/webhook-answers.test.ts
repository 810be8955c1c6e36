/**
 * Protects: what a workflow answers to a webhook runs in no origin of the hub, in a real browser in which a user is
 * signed in. Its script does not run, sends no request as the visitor and registers no service worker.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext } from "playwright-core";
import { openWorkflowUsers, type WorkflowUsers } from "../support/workflow-users.ts";
import { findChromium, startChromium, type TestBrowser } from "./support/chromium.ts";

setDefaultTimeout(180_000);

const executable = findChromium();

/** Tries what a script can do. `/profile/api/…` are routes of a signed-in browser. */
const script = `
document.title = "ran";
fetch("/profile/api/me", { credentials: "include" });
fetch("/profile/api/tokens", { method: "POST", body: '{"name":"x"}', credentials: "include" });
navigator.serviceWorker.register("/webhook/worker.js");
window.open("/profile");
document.forms[0].submit();
top.location = "/profile";
`;
const html = `<!doctype html><meta charset="utf-8"><title>answer</title><base href="/profile/">
<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">
<link rel="stylesheet" href="/app.css"><link rel="prefetch" href="/profile">
<link rel="manifest" href="/manifest.json">
<iframe src="/profile"></iframe><object data="/profile"></object><embed src="/profile">
<iframe srcdoc="<script>parent.document.title = 'ran'</script>"></iframe>
<img src="/health" onerror="document.title = 'ran'"><svg onload="document.title = 'ran'"></svg>
<form method="post" action="/profile/api/tokens"><input name="name" value="x" autofocus
  onfocus="document.title = 'ran'"></form>
<style>@import "/app.css"; body { background: url("/health") }</style>
<script>${script}</script>`;
const xhtml = "http://www.w3.org/1999/xhtml";
const xml = `<html xmlns="${xhtml}"><head><title>answer</title></head><body><form method="post"
action="/profile/api/tokens"/><script><![CDATA[${script}]]></script></body></html>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title = 'ran'">
<script><![CDATA[${script}]]></script><foreignObject width="9" height="9">
<iframe xmlns="${xhtml}" src="/profile"/></foreignObject><image href="/health"/></svg>`;
const stylesheet = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/"><html><head><title>answer</title></head><body>
<script>document.title = "ran"</script></body></html></xsl:template></xsl:stylesheet>`;
const transformed = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="style"?><a/>`;
const mixed = `--x\r\nContent-Type: text/html\r\n\r\n${html}\r\n--x--`;
const utf7 = "+ADw-script+AD4-document.title +AD0- 'ran'+ADw-/script+AD4-";

type Case = { body: string; headers?: Record<string, string>; status?: number; runsAlone?: true };
const type = (contentType: string) => ({ "Content-Type": contentType });

/** Answers by name. With \`runsAlone\`, they run if another server answers them. */
const cases: Record<string, Case> = {
  HTML: { body: html, headers: type("text/html"), runsAlone: true },
  "HTML with a type in mixed case": { body: html, headers: type("TeXt/HtMl;x=y"), runsAlone: true },
  "HTML with two types": { body: html, headers: type("text/plain, text/html") },
  "HTML as UTF-7": { body: utf7, headers: type("text/html; charset=utf-7") },
  "HTML without a type": { body: html },
  "HTML as plain text": { body: html, headers: type("text/plain") },
  "HTML as an unknown type": { body: html, headers: type("unknown/unknown") },
  "HTML as a script": { body: html, headers: type("text/javascript") },
  "HTML in parts": { body: mixed, headers: type("multipart/x-mixed-replace; boundary=x") },
  SVG: { body: svg, headers: type("image/svg+xml") },
  XHTML: { body: xml, headers: type("application/xhtml+xml"), runsAlone: true },
  XML: { body: xml, headers: type("text/xml"), runsAlone: true },
  "XML with a stylesheet": { body: transformed, headers: type("text/xml"), runsAlone: true },
  "A link that is fetched": {
    body: html,
    headers: {
      ...type("text/html"),
      Link: "</profile/api/me>; rel=preload; as=fetch, </app.css>; rel=stylesheet, </profile>; rel=prefetch",
    },
  },
};

describe.skipIf(executable === null)("In a browser", () => {
  const owned = new AsyncDisposableStack();
  let users: WorkflowUsers;
  let browser: TestBrowser;
  let context: BrowserContext;
  type Seen = { title: string; origin: string; url: string; loaded: string[] };
  const seen: Record<string, Seen> = {};
  /** The titles of the same answers of another server. */
  const alone: Record<string, string> = {};

  beforeAll(async () => {
    users = owned.use(await openWorkflowUsers());
    browser = await startChromium(executable ?? "");
    owned.defer(() => browser.close());
    context = await browser.newContext();
    const { cookie = "" } = await users.hub.openBrowser(users.admin.user.id);
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: users.hub.url }]);
    const server = owned.use(serveAlone());
    await Promise.all(
      Object.entries(cases).map(async ([name, given]) => {
        seen[name] = await visit(await publish(given));
        if (given.runsAlone)
          alone[name] = await runAlone(new URL(encodeURIComponent(name), server.url));
      }),
    );
  });
  afterAll(() => owned.disposeAsync());

  /** The address of a workflow that answers this, and a stylesheet beside it. */
  async function publish({ body, headers = {}, status = 200 }: Case): Promise<string> {
    const hook = { type: "webhook" as const, method: "GET" as const };
    const say = { type: "webhook_respond" as const };
    const id = await users.publish(users.admin, {
      triggers: [
        { id: "any", ...hook, entry: "say", respond_mode: "respond_node" },
        { id: "css", ...hook, path: "style", entry: "style", respond_mode: "respond_node" },
      ],
      nodes: [
        {
          id: "say",
          ...say,
          respond_status: status,
          respond_body: "{{.Env.body}}",
          respond_headers: headers,
        },
        { id: "style", ...say, respond_body: "{{.Env.style}}", respond_headers: type("text/xsl") },
      ],
      edges: [],
      settings: { env: { body, style: stylesheet } },
    });
    return `${users.hub.url}/webhook/${id}/page`;
  }

  async function visit(url: string): Promise<Seen> {
    const page = await context.newPage();
    const paths: string[] = [];
    // Chromium also announces the requests that the policy blocks.
    page.on("response", (answer) => paths.push(new URL(answer.url()).pathname));
    // A download is an error of the browser.
    await page.goto(url).catch(() => {});
    await page.waitForLoadState("networkidle");
    const title = await page.title();
    const origin = await page.evaluate<string>("origin");
    const loaded = paths.filter(
      (path) => path !== "/favicon.ico" && path !== new URL(url).pathname,
    );
    return { title, origin, url: page.url(), loaded };
  }

  async function runAlone({ href }: URL): Promise<string> {
    const page = await context.newPage();
    await page.goto(href);
    await page
      .waitForFunction("document.title === 'ran'", undefined, { timeout: 5_000 })
      .catch(() => {});
    return await page.title();
  }

  test.each(Object.keys(cases))("%s runs nothing, loads nothing and has no origin", (name) => {
    const { title, origin, url, loaded } = seen[name] ?? {};
    expect([name, title]).not.toEqual([name, "ran"]);
    expect([name, origin, loaded]).toEqual([name, "null", []]);
    expect(url).toMatch(/\/webhook\/|^about:blank$|^chrome-error:/);
  });

  test("No window was opened, no service worker is registered, and no token was made", async () => {
    const registered = await context.newPage();
    await registered.goto(`${users.hub.url}/health`);
    const workers = "navigator.serviceWorker?.getRegistrations().then(({ length }) => length) ?? 0";
    expect(await registered.evaluate<number>(workers)).toBe(0);
    expect(context.pages()).toHaveLength(Object.keys(seen).length + Object.keys(alone).length + 1);
    expect((await users.hub.admin.tokens.list({ user: users.admin.user.email })).length).toBe(1);
  });

  test("Without the headers of the hub, the same answers run", () => {
    const names = Object.keys(cases).filter((name) => cases[name]?.runsAlone);
    expect(alone).toEqual(Object.fromEntries(names.map((name) => [name, "ran"])));
  });

  /** Another server with the same answers. What their scripts ask for does not exist. */
  function serveAlone() {
    const answers = new Map(Object.entries(cases));
    const server = Bun.serve({
      port: 0,
      fetch(req) {
        const name = decodeURIComponent(new URL(req.url).pathname.slice(1));
        if (name === "style") return new Response(stylesheet, { headers: type("text/xsl") });
        const found = answers.get(name);
        const quiet = found?.body.replaceAll(script, 'document.title = "ran";');
        return new Response(quiet ?? null, {
          status: found ? 200 : 404,
          headers: found?.headers ?? {},
        });
      },
    });
    return { url: server.url, [Symbol.asyncDispose]: () => server.stop(true) };
  }
});
