/**
 * The page of a row in a real browser: every widget and modifier of the field tags, the test panel,
 * two people at once, and markup of connectors that is built to hurt.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { type AppVisitor, checkPages, collectAnswers, visit } from "./support/app-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");

describeApp({ title: "The page of a row", toHubOptions: async () => ({ main }) }, (app) => {
  let headers: Record<string, string>;
  let visitor: AppVisitor;
  let page: Page;

  beforeAll(async () => {
    headers = { authorization: `Bearer ${await app.hub.makeManageToken()}` };
    visitor = await app.open();
    page = visitor.page;
  });
  afterAll(() => visitor[Symbol.asyncDispose]());

  async function api(method: string, path: string, body?: unknown) {
    const response = await fetch(`${app.base}/manager/api${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return Object(await response.json());
  }

  async function addRow(
    values: Record<string, unknown> = {},
    tags: string[] = [],
  ): Promise<string> {
    const filled = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R", ...values };
    const label = `Row ${crypto.randomUUID().slice(0, 8)}`;
    const { id } = await api("POST", "/rows", { connector: "form", label, values: filled, tags });
    return String(id);
  }

  async function readStored(row: string): Promise<Record<string, string | null>> {
    const { values } = await readValues(row);
    return values;
  }

  async function readValues(row: string) {
    const { groups } = await api("GET", `/rows/${row}/settings`);
    const fields: Array<{ key: string; value: string | null }> = groups.flatMap(
      (group: { fields: unknown[] }) => group.fields,
    );
    return { values: Object.fromEntries(fields.map(({ key, value }) => [key, value])) };
  }

  const toPath = (row: string, search = "") => `/manager/connectors/form/${row}${search}`;
  const field = (key: string) => page.locator(`[data-field="${key}"]`);

  async function openRow(row: string, search = ""): Promise<void> {
    await visit(visitor, toPath(row, search));
    await page.waitForSelector("[role=tabpanel]:visible");
    await visitor.untilIdle();
  }

  /** Until it is disposed, the tests use a window whose clock they advance. */
  async function openClock(): Promise<AsyncDisposable> {
    const usual = visitor;
    const other = await app.open("/", { hasClock: true });
    const use = (next: AppVisitor) => {
      visitor = next;
      page = next.page;
    };
    use(other);
    return {
      async [Symbol.asyncDispose]() {
        use(usual);
        await other[Symbol.asyncDispose]();
      },
    };
  }

  /** Evaluates an expression about an element in the browser. */
  const look = (locator: Locator, expression: string): Promise<unknown> =>
    locator.evaluate(Object(new Function("one", `return ${expression}`)));

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  async function waitUntilSaved(): Promise<void> {
    await page.waitForSelector(
      "button:has-text('Save'):not(:has-text('name')):disabled:not([data-loading])",
    );
  }

  async function save(): Promise<void> {
    await press("Save");
    await waitUntilSaved();
  }

  /** Expects no fault so far, and forgets what an expected refusal left in the console. */
  function expectNoFaults(allowed = /^$/): void {
    const found = visitor.faults.splice(0).filter((fault) => !allowed.test(fault));
    expect(found).toEqual([]);
  }

  test("From New to a row that works: what is missing stands on top until it is set", async () => {
    await page.goto(`${app.base}/manager/connectors/form/new`);
    await page.getByLabel("Label").fill("Production");
    await page.click("text=Create and set up");
    await page.waitForURL(/\/manager\/connectors\/form\/[0-9a-f-]{36}$/);
    await page.waitForSelector("text=Needs setup");
    await press("Token");
    await page.keyboard.type("s3cret-value-9fK2xQ7vLm4R");
    await page.getByLabel("Base URL").fill("https://a.example");
    await save();
    await page.waitForSelector("text=Needs setup", { state: "detached" });
    await page.click("text=Check connection");
    await page.waitForSelector("text=The connection works.");
    expectNoFaults();
  });

  nightlyTest(
    "The widgets of texts, numbers, addresses, dates and JSON save what was typed",
    async () => {
      const typed = {
        note: "some text",
        footer: "one\ntwo",
        max_retries: "900719925474099312345",
        ratio: "0.25",
        contact: "ada@example.com",
        base_url: "https://b.example",
        since: "2026-11-20",
        not_before: "2026-11-20T09:30:15",
        payload: '{"a":[1,12345678901234567890]}',
      };
      const row = await addRow();
      await openRow(row);
      for (const [key, text] of Object.entries(typed)) {
        await field(key).locator("input, textarea").fill(text);
      }
      await save();
      expect(await readStored(row)).toMatchObject(typed);
      expectNoFaults();
    },
  );

  nightlyTest(
    "A dropdown offers its options, and visible_when shows its fields at once, also for a|b",
    async () => {
      const row = await addRow();
      await openRow(row);
      const mode = field("mode").locator("select");
      const shown = async () => [
        await field("signing_name").count(),
        await field("plain_name").count(),
      ];
      expect(await mode.locator("option").allTextContents()).toContain("signed");
      expect(await shown()).toEqual([0, 1]);
      await mode.selectOption("signed");
      expect(await shown()).toEqual([1, 0]);
      await mode.selectOption("both");
      expect(await shown()).toEqual([1, 0]);
      await save();
      expect((await readStored(row)).mode).toBe("both");
      expectNoFaults();
    },
  );

  nightlyTest("A toggle switch saves true and false, and shows what depends on it", async () => {
    const row = await addRow();
    await openRow(row);
    expect(await field("dry_note").count()).toBe(0);
    await field("dry_run").locator("input").click({ force: true });
    await field("dry_note").waitFor();
    await save();
    expect((await readStored(row)).dry_run).toBe("true");
    await field("dry_run").locator("input").click({ force: true });
    await save();
    expect((await readStored(row)).dry_run).toBe("false");
    expectNoFaults();
  });

  nightlyTest("A color is chosen and cleared", async () => {
    const row = await addRow();
    await openRow(row);
    await field("label_color").locator("input").fill("#12ab34");
    await save();
    expect((await readStored(row)).label_color).toBe("#12ab34");
    await field("label_color").getByText("Clear").click();
    await save();
    expect((await readStored(row)).label_color).toBeNull();
    expectNoFaults();
  });

  test("A secret shows bullets when set, can be replaced and cleared, and never comes to the browser", async () => {
    const row = await addRow({ hook_secret: "old-hook-value" });
    const toAnswers = collectAnswers(page);
    await openRow(row);
    const input = field("hook_secret").locator("input");
    expect(await input.inputValue()).toBe("••••••••");
    await page.getByLabel("Replace Hook secret").click();
    expect(await input.inputValue()).toBe("");
    await page.keyboard.type("new-hook-value");
    await save();
    expect(await input.inputValue()).toBe("••••••••");
    await page.getByLabel("Clear Hook secret").click();
    await save();
    expect(await input.inputValue()).toBe("");
    const answers = await toAnswers();
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.map(({ text }) => text).join()).not.toMatch(
      /old-hook-value|new-hook-value|s3cret-value/,
    );
    expect(await page.content()).not.toMatch(/old-hook-value|new-hook-value|s3cret-value/);
    page.removeAllListeners("requestfinished");
    expectNoFaults();
  });

  nightlyTest("regen generates a new value", async () => {
    const row = await addRow();
    await openRow(row);
    await page.click("text=Generate Hook secret");
    await field("hook_secret").getByText("Saved").waitFor();
    expect(await field("hook_secret").locator("input").inputValue()).toBe("••••••••");
    expectNoFaults();
  });

  nightlyTest("desc, default, required, locked and hidden show as the tag says", async () => {
    const row = await addRow();
    await openRow(row);
    await field("base_url").getByText("Where it answers").waitFor();
    expect(await field("note").locator("input").inputValue()).toBe("a seed");
    expect(await field("base_url").locator("input").getAttribute("aria-required")).toBe("true");
    expect(await field("markup").count()).toBe(0);
    await press("Advanced");
    const locked = field("instance_id").locator("input");
    expect([await locked.inputValue(), await locked.isEditable()]).toEqual(["fixed-1", false]);
    expectNoFaults();
  });

  nightlyTest(
    "Cards are in first-seen order with Configuration last; a collapsed one opens",
    async () => {
      await openRow(await addRow());
      const titles = await page.locator("[role=tabpanel] section > h2").allTextContents();
      expect(titles).toEqual(["Board", "Advanced", "Proxy", "Configuration"]);
      await page.getByText("How to get out").waitFor();
      const toggle = page.getByRole("button", { name: "Advanced" });
      expect(await toggle.getAttribute("aria-expanded")).toBe("false");
      await toggle.focus();
      await page.keyboard.press("Enter");
      await field("instance_id").waitFor();
      expectNoFaults();
    },
  );

  /** Opens a row in a window whose clock stands still, and returns the values that it saves. */
  async function openRowAtRest(row: string): Promise<unknown[]> {
    await openRow(row);
    const saved: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") saved.push(request.postDataJSON().value);
    });
    await page.clock.pauseAt(Date.now() + 60_000);
    return saved;
  }

  async function expectSaveAfter(ms: number): Promise<void> {
    const put = page.waitForResponse((response) => response.request().method() === "PUT");
    await page.clock.runFor(ms);
    await put;
  }

  nightlyTest(
    "A kvlist saves itself 800 ms after the last change, also between cells and outside; Tab in the last cell adds a row",
    async () => {
      const row = await addRow();
      await using _ = await openClock();
      const saved = await openRowAtRest(row);
      const table = field("headers");
      await table.getByText("Add row").click();
      await page.keyboard.type("Accept");
      await page.clock.runFor(799);
      await page.keyboard.press("Tab");
      await page.keyboard.type("text/plain");
      await page.clock.runFor(799);
      await field("note").locator("input").focus();
      await expectSaveAfter(1);
      const first = '{"name":"Accept","value":"text/plain"}';
      expect((await readStored(row)).headers).toBe(`[${first}]`);
      await table.locator("input").last().focus();
      await page.keyboard.press("Tab");
      await page.keyboard.type("X-A");
      expect(await table.locator("tbody tr").count()).toBe(2);
      await expectSaveAfter(800);
      await page.getByLabel("Remove row 1 of Headers").click();
      await expectSaveAfter(800);
      const second = '{"name":"X-A","value":""}';
      expect((await readStored(row)).headers).toBe(`[${second}]`);
      expect(saved).toEqual([`[${first}]`, `[${first},${second}]`, `[${second}]`]);
      expectNoFaults();
    },
  );

  nightlyTest(
    "A kvlist saves at once when the page is left or closed, and Discard leaves it alone",
    async () => {
      const row = await addRow();
      await using _ = await openClock();
      await openRowAtRest(row);
      await field("labels").getByText("Add row").click();
      await page.keyboard.type("one");
      await field("note").locator("input").fill("not kept");
      await press("Discard");
      expect(await field("labels").locator("input").inputValue()).toBe("one");
      const left = page.waitForResponse((response) => response.request().method() === "PUT");
      await page.getByRole("tab", { name: "History" }).click();
      await left;
      const { labels, note } = await readStored(row);
      expect([labels, note]).toEqual(['[{"value":"one"}]', "a seed"]);
      await page.getByRole("tab", { name: "Settings" }).click();
      await field("labels").locator("input").fill("two");
      await page.goto("about:blank");
      await waitFor(async () => (await readStored(row)).labels === '[{"value":"two"}]');
      expectNoFaults();
    },
  );

  nightlyTest("Tab leaves a table whose last row is empty", async () => {
    await openRow(await addRow());
    const table = field("labels");
    await table.getByText("Add row").click();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await table.locator("tbody tr").count()).toBe(1);
    expect(
      await look(table.getByText("Add row"), "one.closest('button') === document.activeElement"),
    ).toBe(true);
    expectNoFaults();
  });

  nightlyTest(
    "A picker asks after a pause, drops stale answers, saves each choice, and takes no free text",
    async () => {
      const row = await addRow();
      await openRow(row);
      const asked: string[] = [];
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (url.pathname.endsWith("/lookup")) asked.push(url.searchParams.get("q") ?? "");
      });
      const input = field("watchers").locator("input[id]");
      await input.pressSequentially("a");
      await page.waitForRequest((request) => request.url().includes("q=a"));
      // In one turn of the page, so that no pause is between them on a busy machine.
      await input.evaluate(
        Object(
          new Function(
            "input",
            `const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
          for (const text of ["al", "ala", "alan"]) {
            set.call(input, text);
            input.dispatchEvent(new Event("input", { bubbles: true }));
          }`,
          ),
        ),
      );
      await page.locator("[role=option]:text-is('Alan')").waitFor();
      // The late answer to "a" has five names.
      await page.waitForResponse((response) => response.url().endsWith("q=a"));
      expect(await page.locator("[role=option]").allTextContents()).toEqual(["Alan"]);
      expect(asked).toEqual(["a", "alan"]);
      const put = page.waitForResponse((response) => response.request().method() === "PUT");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await put;
      await field("watchers").getByText("Saved", { exact: true }).waitFor();
      expect((await readStored(row)).watchers).toBe('[{"id":"alan","name":"Alan"}]');
      await input.pressSequentially("nobody");
      await page.getByText("Nothing found").waitFor();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      expect((await readStored(row)).watchers).toBe('[{"id":"alan","name":"Alan"}]');
      await page.getByLabel("Remove Alan").click();
      await field("watchers").getByText("Saved", { exact: true }).waitFor();
      await visitor.untilIdle();
      expect((await readStored(row)).watchers).toBeNull();
      page.removeAllListeners("request");
      expectNoFaults();
    },
  );

  test("An html widget stores data-arg of __select, by mouse and by keyboard", async () => {
    const row = await addRow();
    await openRow(row);
    await field("place").getByText("Seven").click();
    await field("place").getByText("Chosen: 7").waitFor();
    expect((await readStored(row)).place).toBe("7");
    await field("place").getByText("Nine").focus();
    await page.keyboard.press("Enter");
    await field("place").getByText("Chosen: 9").waitFor();
    expect((await readStored(row)).place).toBe("9");
    const spacing = await look(
      field("place").getByText("Chosen"),
      "getComputedStyle(one).letterSpacing",
    );
    expect(spacing).toBe("1px");
    expectNoFaults();
  });

  test("A data-op sends the named elements; a checkbox or radio only when checked; a submit stays on the page", async () => {
    const row = await addRow();
    await openRow(row);
    const sent = async () =>
      JSON.parse((await field("place").locator("#sent").textContent()) ?? "");
    await field("place").getByText("Send").click();
    expect(await sent()).toEqual({ days: "3", size: "large", town: "Bergen", note: "hello" });
    await field("place").getByText("Refresh").click();
    await field("place").locator("[name=dry_run]").check();
    await field("place").locator("[name=days]").fill("8");
    await page.keyboard.press("Enter");
    expect(await sent()).toEqual({
      days: "8",
      dry_run: "on",
      size: "large",
      town: "Bergen",
      note: "hello",
    });
    expect(page.url()).toBe(`${app.base}${toPath(row)}`);
    expectNoFaults();
  });

  const hostile = [
    `<script>window.ran = "script"</script>`,
    `<img src=x onerror="window.ran='onerror'"><img src="http://evil.invalid/pixel">`,
    `<a href="javascript:window.ran='link'">link</a><a href="/auth/logout">out</a>`,
    `<svg onload="window.ran='svg'"><script>window.ran='svg script'</script></svg>`,
    `<p style="background:url(http://evil.invalid/a);position:fixed;inset:0;color:red">styled</p>`,
    `<style>p{background:url(http://evil.invalid/b)} @import "http://evil.invalid/c"; @font-face{font-family:x;src:url(http://evil.invalid/d)} :host{position:fixed}</style>`,
    `<meta http-equiv="refresh" content="0;url=http://evil.invalid"><base href="http://evil.invalid/">`,
    `<iframe srcdoc="<script>parent.ran='iframe'</script>"></iframe><object data="http://evil.invalid"></object>`,
    `<form action="http://evil.invalid" id="f"><input name="attributes"><input name="firstChild"><input id="location" name="submit"><button formaction="javascript:window.ran='formaction'">go</button></form>`,
    `<math><mtext><table><mglyph><style><img src onerror="window.ran='mxss'"></style></mglyph></table></mtext></math>`,
    `<template><img src onerror="window.ran='template'"></template><noscript><p title="</noscript><img src onerror=window.ran='noscript'>"></noscript>`,
    `<link rel=stylesheet href="http://evil.invalid/e"><video src="http://evil.invalid/f" autoplay></video><input type=image src="http://evil.invalid/g">`,
    `<button data-op="__select" data-arg="x" onclick="window.ran='onclick'" autofocus onfocus="window.ran='onfocus'">still here</button>`,
  ];

  test("Nothing in the markup of an html widget runs or loads, and the content policy reports nothing", async () => {
    const row = await addRow({ markup: hostile.join("\n") });
    await openRow(row);
    await field("board").getByText("still here").waitFor();
    await field("board").getByText("go", { exact: true }).click();
    await field("board").getByText("link", { exact: true }).click();
    expect(await page.evaluate<unknown>("window.ran")).toBeUndefined();
    expect(page.url()).toBe(`${app.base}${toPath(row)}`);
    const host = field("board").locator("[role=group]");
    const tags = await look(
      host,
      "[...new Set([...one.shadowRoot.querySelectorAll('*')].map((each) => each.localName))].sort()",
    );
    expect(tags).toEqual(["a", "button", "form", "img", "input", "p"]);
    const names = await look(
      host,
      "[...new Set([...one.shadowRoot.querySelectorAll('*')].flatMap((each) => each.getAttributeNames()))].sort()",
    );
    expect(names).toEqual("autocomplete data-arg data-op id name rel style target type".split(" "));
    const style = await field("board").getByText("styled").getAttribute("style");
    expect(style).toBe("color: red;");
    expectNoFaults();
  });

  const large: Array<[string, string]> = [
    ["a megabyte of elements", "<b>x</b>".repeat(131_072)],
    ["a megabyte of open elements", `${"<div>".repeat(100_000)}${"</i>".repeat(100_000)}`],
    ["a megabyte of text", "x ".repeat(524_288)],
    ["a megabyte of style", `<style>${".a{color:red}".repeat(80_000)}</style><p>after</p>`],
    ["a megabyte of attributes", `<p ${"a=1 ".repeat(250_000)}>not shown</p>`],
    ["more than a result may have", `<p ${"a=1 ".repeat(300_000)}>not shown</p>`],
  ];

  nightlyTest.each(large)("An html widget of %s leaves the page usable", async (_, markup) => {
    const row = await addRow({ markup });
    await openRow(row);
    await field("board")
      .getByText(/after|The widget is too large. The rest of it is not shown./)
      .waitFor();
    await field("note").locator("input").fill("still usable");
    await save();
    expect((await readStored(row)).note).toBe("still usable");
    expectNoFaults();
  });

  nightlyTest(
    "The second of two people is told what changed, and keeps what was typed",
    async () => {
      const row = await addRow({ note: "first" });
      await openRow(row);
      await field("note").locator("input").fill("mine");
      await field("footer").locator("textarea").fill("also mine");
      await app.hub.cli(
        "row",
        "set",
        row,
        "--set",
        "note=theirs",
        "--set",
        "contact=bob@example.com",
      );
      await press("Save");
      await page.waitForSelector("text=Someone else has changed this row");
      const told = await page.locator("[role=alert] li").allTextContents();
      expect(told).toEqual([
        "Note is now “theirs”, before “first”. You typed another value, which is kept and replaces it when you save.",
        "Contact is now “bob@example.com”, before not set.",
      ]);
      expect(await field("note").locator("input").inputValue()).toBe("mine");
      expect(await field("contact").locator("input").inputValue()).toBe("bob@example.com");
      expect((await readStored(row)).note).toBe("theirs");
      await save();
      expect(await readStored(row)).toMatchObject({
        note: "mine",
        footer: "also mine",
        contact: "bob@example.com",
      });
      expectNoFaults(/409/);
    },
  );

  nightlyTest("A setting changed by the command line appears in the open form", async () => {
    await using _ = await openClock();
    const row = await addRow();
    await openRow(row);
    await app.hub.cli("row", "set", row, "--set", "contact=eve@example.com");
    await page.clock.fastForward(10_000);
    await page.waitForSelector("text=Someone else has changed this row");
    expect(await field("contact").locator("input").inputValue()).toBe("eve@example.com");
    expectNoFaults();
  });

  nightlyTest("Typed values are asked about before the page is left", async () => {
    await openRow(await addRow());
    await field("note").locator("input").fill("not saved");
    await page.click('nav >> text="Calls"');
    await page.waitForSelector("text=Leave without saving?");
    await page.click("[role=dialog] >> text=Cancel");
    await page.click("[role=tab]:has-text('Operations')");
    await page.click("[role=tab]:has-text('Settings')");
    expect(await field("note").locator("input").inputValue()).toBe("not saved");
    await press("Discard");
    await page.click('nav >> text="Calls"');
    await page.waitForURL(`${app.base}/manager/runs`);
    expectNoFaults();
  });

  nightlyTest("A refused value names its field", async () => {
    await openRow(await addRow());
    await field("contact").locator("input").fill("nonsense");
    await press("Save");
    await field("contact").locator("[class*=error]").first().waitFor();
    expect(await field("contact").locator("input").inputValue()).toBe("nonsense");
    await press("Discard");
    expectNoFaults(/400/);
  });

  nightlyTest(
    "Operations can be filtered, switched, and shown with their inputs; destructive ones are marked",
    async () => {
      const row = await addRow();
      await openRow(row, "?tab=operations");
      await page.getByLabel("Filter operations").fill("wipe");
      await page.getByText(/^1 of \d+ shown$/).waitFor();
      expect(await page.locator("[role=tabpanel] ul > li").count()).toBe(1);
      await page.getByText("Destructive", { exact: true }).waitFor();
      await page.getByLabel("wipe is enabled").click({ force: true });
      await visitor.untilIdle();
      const { operations } = await api("GET", `/rows/${row}`);
      expect(operations.find((one: { key: string }) => one.key === "wipe").enabled).toBe(false);
      await page.getByLabel("Filter operations").fill("echo");
      await page.getByText("Details of echo").click();
      await page.getByText("What to return").waitFor();
      await page.getByLabel("Test echo").click();
      await page.waitForURL(/tab=test&op=echo/);
      expectNoFaults();
    },
  );

  test("The test panel calls an operation as a test, shows the result, and reuses a past run as its retry", async () => {
    const row = await addRow();
    await openRow(row, "?op=echo");
    await press("Call");
    await field("text").locator("[class*=error]").first().waitFor();
    await field("text").locator("input").fill("hello");
    await field("kind").locator("select").selectOption("long");
    await field("detail").locator("input").fill("more");
    await field("extra").locator("textarea").fill('{"id":12345678901234567890}');
    await press("Call");
    await page.getByRole("group", { name: "Result" }).getByText("hello").waitFor();
    await page.click("[role=tab]:has-text('As a client sees it')");
    const text = await page.locator("pre").textContent();
    expect(JSON.parse(text ?? "")).toMatchObject({ Text: "hello", Times: 1, Detail: "more" });
    const { runs } = await api("GET", `/rows/${row}/runs`);
    const first = runs.find((run: { status: string }) => run.status === "success");
    expect(first.source).toBe("test");
    await page.click("[role=tab]:has-text('History')");
    await page.getByLabel("Reuse the params of echo").first().click();
    await page.waitForURL(new RegExp(`op=echo&prefill=${first.id}`));
    await page.waitForSelector("text=Filled in from an earlier call");
    expect(await field("text").locator("input").inputValue()).toBe("hello");
    await field("text").locator("input").fill("changed");
    await press("Call");
    await page.getByRole("group", { name: "Result" }).getByText("changed").waitFor();
    const after = await api("GET", `/rows/${row}/runs`);
    expect(after.runs[0]).toMatchObject({ source: "retry", parent_run_id: first.id });
    expectNoFaults(/400|422/);
  });

  nightlyTest(
    "The test panel says that a row needs setup, and that an operation is disabled for clients",
    async () => {
      const row = await addRow();
      await api("POST", `/rows/${row}/operations/echo/disable`);
      await openRow(row, "?op=echo");
      await page.waitForSelector("text=This operation is disabled");
      expect(await page.getByText("Needs setup").count()).toBe(0);
      const { id } = await api("POST", "/rows", { connector: "form", label: "Bare" });
      await openRow(id, "?op=echo");
      await page.getByRole("alert").getByRole("link", { name: "settings" }).click();
      await page.waitForSelector("text=Operations can be called when these are set");
      expectNoFaults();
    },
  );

  nightlyTest("A result of 1 MiB stays usable", async () => {
    await openRow(await addRow(), "?op=big");
    await field("chars")
      .locator("input")
      .fill(String(2 ** 20));
    await press("Call");
    await page.getByRole("group", { name: "Result" }).waitFor();
    await page.click("[role=tab]:has-text('As a client sees it')");
    await page.waitForSelector("text=Show 32,768 more characters");
    await field("chars").locator("input").fill("100");
    await press("Call");
    await page.waitForSelector("text=Show 32,768 more characters", { state: "detached" });
    expectNoFaults();
  });

  nightlyTest("A row that is deleted under an open test panel is said to be gone", async () => {
    await using _ = await openClock();
    const row = await addRow();
    await openRow(row, "?op=echo");
    await field("text").locator("input").fill("typed");
    await api("DELETE", `/rows/${row}`);
    await press("Call");
    await page.waitForSelector("text=The call failed");
    await page.clock.fastForward(10_000);
    await page.waitForSelector("text=This row was deleted");
    expect(await field("text").locator("input").inputValue()).toBe("typed");
    expectNoFaults(/404|422/);
  });

  test("Access shows by name who sees the row, and a dialog changes it", async () => {
    await app.hub.addUser("ada@example.com", { tags: ["blue"] });
    const row = await addRow();
    await openRow(row, "?tab=access");
    await page.waitForSelector("text=Only admins see it.");
    await press("Change who may use it");
    await page.getByRole("combobox", { name: "People and tags" }).fill("blue");
    await page.getByRole("option", { name: "Tag blue" }).click();
    await page.waitForSelector("text=1 active user has the tag blue.");
    await page.locator("[role=dialog] button[type=submit]").click();
    await page.waitForSelector("text=is saved.");
    await page.waitForSelector("text=ada@example.com");
    expect((await api("GET", `/rows/${row}`)).tags).toEqual(["blue"]);
    await page.getByLabel("Who may test it").selectOption("tag");
    await page.waitForSelector("text=Who may test the row is saved.");
    expect((await api("GET", `/rows/${row}`)).tests).toBe("tag");
    expectNoFaults();
  });

  nightlyTest("A row is deleted after its name was typed", async () => {
    const row = await addRow();
    const { label } = await api("GET", `/rows/${row}`);
    await openRow(row);
    await press("Delete");
    const confirm = page.locator("[role=dialog] button[type=submit]");
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${label} to confirm`).fill(label);
    await confirm.click();
    await page.waitForURL(/\/manager\/connectors\/form$/);
    expect((await api("GET", `/rows/${row}`)).code).toBe("not_found");
    visitor.faults.splice(0);
  });

  test("The keyboard alone fills in a setting, saves it and runs an operation", async () => {
    const row = await addRow();
    await openRow(row);
    await field("note").locator("input").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("typed by keys");
    await page.getByRole("button", { name: "Save", exact: true }).focus();
    await page.keyboard.press("Enter");
    await waitUntilSaved();
    expect((await readStored(row)).note).toBe("typed by keys");
    await page.locator("[role=tab]:has-text('Settings')").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/tab=test/);
    expectNoFaults();
  });

  test("Every tab fits and is accessible in each look", async () => {
    const row = await addRow({
      headers: [{ name: "Accept", value: "text/plain" }],
      watchers: [{ id: "ada", name: "Ada" }],
    });
    await using other = await app.open();
    await checkPages(other, [
      toPath(row),
      toPath(row, "?tab=operations"),
      toPath(row, "?op=echo"),
      toPath(row, "?tab=history"),
      toPath(row, "?tab=access"),
      toPath(row, "?tab=rules"),
      "/manager/connectors/form/new",
    ]);
  });
});
