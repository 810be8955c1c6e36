/**
 * Protects: what a workflow answers to a webhook runs in no origin of the hub, in a real browser. Its script
 * sees no cookie, sends no request as the visitor, and registers no service worker.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";
import { findChromium, startChromium } from "./support/chromium.ts";

setDefaultTimeout(60_000);

const executable = findChromium();

const hostile = `<!doctype html><title>answer</title><p id="said">plain</p>
<img src="/health" onerror="document.title = 'ran'">
<script>
document.title = "ran";
document.getElementById("said").textContent = document.cookie;
fetch("/manager/api/me", { credentials: "include" });
navigator.serviceWorker.register("/webhook/worker.js");
</script>
<svg onload="document.title = 'ran'"></svg>
<form id="form" method="post" action="/manager/api/tokens"><input name="name" value="x"></form>
<a id="script" href="javascript:document.title='ran'">script</a>`;

describe.skipIf(executable === null)("In a browser", () => {
  const owned = new AsyncDisposableStack();
  let flows: WorkflowHub;
  let browser: Browser;
  beforeAll(async () => {
    flows = owned.use(await startWorkflowHub());
    browser = await startChromium(executable ?? "");
    owned.defer(() => browser.close());
  });
  afterAll(() => owned.disposeAsync());

  test.each([
    "text/html",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
  ])("A script in an answer of the type %s does not run in the hub's origin", async (type) => {
    const id = await flows.publish({
      triggers: [
        { id: "hook", type: "webhook", method: "GET", entry: "say", respond_mode: "respond_node" },
      ],
      nodes: [
        {
          ...{ id: "say", type: "webhook_respond", respond_body: "{{.Env.html}}" },
          respond_headers: { "Content-Type": type },
        },
      ],
      edges: [],
      settings: { env: { html: type === "text/html" ? hostile : toXml(hostile) } },
    });
    const context = await browser.newContext();
    await context.addCookies([{ name: "hub_probe", value: "cookie-of-hub", url: flows.hub.url }]);
    const page = await context.newPage();
    // Chromium also announces the requests that the policy blocks.
    const answered: string[] = [];
    page.on("response", (answer) => answered.push(new URL(answer.url()).pathname));
    const response = await page.goto(`${flows.hub.url}/webhook/${id}/`);
    expect(response?.status()).toBe(200);
    await page.waitForLoadState("networkidle");
    expect(await page.title()).not.toBe("ran");
    expect(await page.content()).not.toContain("cookie-of-hub");
    expect(answered.filter((path) => path !== "/favicon.ico")).toEqual([`/webhook/${id}/`]);
    const origin = await page.evaluate<string>("origin");
    expect(origin).toBe("null");
    await context.close();
  });
});

/** A document with the same script, as XML. */
function toXml(html: string): string {
  const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(html) ?? [];
  return `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>answer</title></head><body><script><![CDATA[${script}]]></script></body></html>`;
}
