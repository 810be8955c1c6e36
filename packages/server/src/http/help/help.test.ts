import { expect, test } from "bun:test";
import { readDocs } from "../../docs/read-docs.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { newUser } from "../../store/test-data.ts";
import { frameScript } from "../pages/page-scripts.ts";
import { openTestApp } from "../testing/open-test-app.ts";
import { toHelpPath } from "./help-path.ts";
import { renderMarkdown } from "./render-markdown.ts";

const signedIn: SignedIn = {
  sessionId: "s1",
  csrfToken: "c",
  mustChangePassword: false,
  freshAt: 0,
  hasPassword: true,
  // The pages read no other members.
  user: newUser({ id: "u1" }) as SignedIn["user"],
};
const { app } = openTestApp({ findSession: async () => signedIn });
const headers = { accept: "text/html", host: "localhost:7420", cookie: "__Host-hub_session=a" };
const get = (path: string, of = app) => of.request(`http://localhost:7420${path}`, { headers });

test("The pages of the documentation are for users who are signed in", async () => {
  const { app: other } = openTestApp();
  for (const path of ["/help", "/help/", "/help?q=key", "/help/guide/backup"]) {
    const answer = await get(path, other);
    expect([path, answer.status]).toEqual([path, 303]);
    expect(answer.headers.get("location")).toStartWith("/auth/login?");
  }
});

test("/help is the index with the version, and its links lead to pages", async () => {
  const answer = await get("/help");
  const html = await answer.text();
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(html).toContain("Hub 0.0.0");
  expect(html).toContain('href="/help/guide/backup"');
  expect(html).toContain('aria-current="page"');
  // The script of the frame is the only one.
  expect(html.split("<script").length - 1).toBe(1);
  expect(html).toContain(frameScript);
});

test("A slash at the end of an address leads to the same page", async () => {
  for (const path of ["/help", "/help/guide/backup"]) {
    const [plain, slashed] = [await get(path), await get(`${path}/`)];
    expect([path, slashed.status]).toEqual([path, 200]);
    expect(await slashed.text()).toBe(await plain.text());
  }
  expect(await (await get("/help/?q=lost+key")).text()).toContain("/help/reference/settings#keys");
});

test("A page has its title once, a list of its sections, and anchors", async () => {
  const html = await (await get("/help/guide/sign-in")).text();
  expect(html.match(/<h1/g)).toHaveLength(1);
  expect(html).toContain('<a href="#behind-a-proxy">Behind a proxy</a>');
  expect(html).toContain('<h2 id="behind-a-proxy">');
});

test("A page is found by its name, and an unknown one is answered by what to do", async () => {
  expect((await get("/help/backup.md")).status).toBe(200);
  for (const path of [
    "/help/nothing",
    "/help/..%2f..%2fpackage.json",
    `/help/${"a".repeat(5000)}`,
  ]) {
    const answer = await get(path);
    expect([path.slice(0, 40), answer.status]).toEqual([path.slice(0, 40), 404]);
    expect(await answer.text()).toContain("Open /help to search it.");
  }
  const mistyped = await (await get("/help/guide/bakup")).text();
  expect(mistyped).toContain("Did you mean &quot;guide/backup&quot;?");
});

test("A search shows the sections with links to them, and what was typed stays text", async () => {
  const html = await (await get("/help?q=lost+key")).text();
  expect(html).toContain('href="/help/reference/settings#keys"');
  const typed = await (await get("/help?q=%22%3E%3Czeppelin")).text();
  expect(typed).toContain("No section has these words.");
  expect(typed).not.toContain("<zeppelin");
});

test("Markdown cannot add elements, scripts or handlers to a page", () => {
  const { html, title } = renderMarkdown(
    "guide/x.md",
    "# A <b>title</b>\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) [b](data:text/html,x)\n\n" +
      "![c](../pictures/home.webp) [d](../../deploy/x) `<i>`\n\n## main\n",
  );
  expect(title).toBe("A <b>title</b>");
  expect(html).not.toMatch(/<(?:img|b|i|script|a)\b/);
  expect(html).toContain("(picture: c) d (deploy/x of the repository)");
  // The frame of the page has this id.
  expect(html).toContain('<h2 id="main-section">');
});

test("The keyboard reaches code and tables, which scroll by themselves", () => {
  const markdown = "```sh\nhub serve\n```\n\n    hub list\n\n| a |\n|---|\n| b |\n";
  const { html } = renderMarkdown("guide/x.md", markdown);
  expect(html).toContain('<pre tabindex="0"><code class="language-sh">hub serve\n</code></pre>');
  expect(html).toContain('<pre tabindex="0"><code>hub list\n</code></pre>');
  expect(html).toContain('<div class="scroll" tabindex="0"><table>');
});

test("Every link from page to page has a target in the browser", async () => {
  const docs = await readDocs();
  const ids = new Map<string, Set<string>>();
  const links: Array<{ from: string; to: string; anchor: string }> = [];
  for (const path of docs.paths) {
    const { html } = renderMarkdown(path, await docs.read(path));
    const topic = path.replace(/\.md$/, "").replace(/\/README$/, "");
    ids.set(
      toHelpPath(topic),
      new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? "")),
    );
    for (const [, to = "", anchor = ""] of html.matchAll(/href="(\/help[^"#]*)(?:#([^"]*))?"/g)) {
      links.push({ from: path, to, anchor: decodeURIComponent(anchor) });
    }
  }
  expect(links.length).toBeGreaterThan(700);
  const broken = links.filter(({ to, anchor }) => {
    const found = ids.get(to);
    return found === undefined || (anchor !== "" && !found.has(anchor));
  });
  expect(broken).toEqual([]);
});

test("Errors lead to the documentation", async () => {
  const html = await (await get("/nothing")).text();
  expect(html).toContain('<a href="/help">Help</a>');
});

test("/llms.txt tells strangers how a client connects, and no version", async () => {
  const { app: other } = openTestApp();
  const answer = await get("/llms.txt", other);
  const text = await answer.text();
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(text).toContain("A client connects to https://hub.example/mcp");
  expect(text).toContain("(https://hub.example/help/guide/backup)");
  expect(text).not.toContain("0.0.0");
});
