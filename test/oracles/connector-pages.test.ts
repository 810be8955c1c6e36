/**
 * The pages of connectors in a real browser: the catalog with its actions, texts and phases, and the
 * rows of a connector, for admins and for other users.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { checkPages, checkSchemes } from "./support/app-pages.ts";
import { type AppUser, describeApp, type WindowOptions } from "./support/open-app.ts";
import { openPluginSite, type PluginSite } from "./support/plugin-site.ts";

setDefaultTimeout(180_000);

const list = "/manager/connectors";
const add = "/manager/add";

/** Texts of a plugin's author that would run if a page took them for markup. */
const hostile = {
  key: "hostile",
  name: `<img src=x onerror="globalThis.ran = 1">"><script>globalThis.ran = 1</script>`,
  description: `</p><svg onload="globalThis.ran = 1"><a href="javascript:globalThis.ran=1">x</a>`,
  icon: `"><img src=x onerror="globalThis.ran = 1">`,
};

let site: PluginSite;

async function offerPlugins(owned: AsyncDisposableStack) {
  site = owned.use(await openPluginSite());
  site.offer(hostile);
  site.addEntry({
    key: "elsewhere",
    name: "Elsewhere",
    description: "For another machine.",
    version: "1.0.0",
    assets: { "plan9/mips": "elsewhere.zip" },
  });
  site.addEntry({
    key: "broken",
    name: "Broken",
    description: "Its archive is gone.",
    version: "1.0.0",
    assets: { "linux/amd64": "gone.zip", "linux/arm64": "gone.zip", "darwin/arm64": "gone.zip" },
  });
  return { env: { HUB_PLUGIN_CATALOG: site.catalog } };
}

describeApp({ title: "The pages of connectors", toHubOptions: offerPlugins }, (app) => {
  let user: AppUser;

  beforeAll(async () => {
    user = await app.addUser("ada@example.com", { tags: ["team"] });
    for (const [label, ...tags] of [
      ["Search engine", "team", "web"],
      ["Weather"],
      [hostile.name],
    ]) {
      const flags = tags.flatMap((tag) => ["--tag", tag]);
      await app.hub.cli("row", "add", "http", "--incomplete", "--label", label ?? "", ...flags);
    }
  });

  async function open(path = add, options: WindowOptions = {}) {
    const visitor = await app.open(path, options);
    return {
      ...visitor,
      card: (key: string) => visitor.page.locator(`[data-connector="${key}"]`),
      close: async (expected: string[] = [], { mayBeMissing = false } = {}) => {
        // Chromium reports the status of a request for what another page has removed.
        const isOther = (fault: string) => !mayBeMissing || !fault.includes("status of 404");
        expect(visitor.faults.filter(isOther)).toEqual(expected);
        await visitor[Symbol.asyncDispose]();
      },
    };
  }

  async function choose(page: Page, name: string, item: string): Promise<void> {
    await page.click(`button[aria-label="Actions for ${name}"]`);
    await page.click(`[role=menuitem]:has-text("${item}")`);
  }

  const installTracker = () => app.hub.cli("plugin", "install", "tracker", "--replace");

  test("Download shows the phases and ends with the connector among the installed ones", async () => {
    const { page, card, close } = await open();
    const release = site.holdDownloads();
    await card("tracker").locator("button:has-text('Download')").click();
    const phase = card("tracker").locator("[aria-current=step]");
    await phase.filter({ hasText: "Downloading" }).waitFor();
    release();
    await page.waitForSelector("text=Tracker 0.1.0 is installed.");
    const installed = page.locator("section[aria-label=Installed] [data-connector=tracker]");
    await installed.waitFor();
    // The next step after an installation.
    await installed.getByRole("link", { name: "New row" }).waitFor();
    await installed.locator("h3 a").click();
    await page.waitForURL(`${app.base}${list}/tracker`);
    await page.waitForSelector("text=No rows yet");
    await app.hub.cli("plugin", "remove", "tracker");
    await close();
  });

  nightlyTest.each(["downloading", "verifying", "replacing", "done"])(
    "The phase %s is shown while it lasts",
    async (phase) => {
      const { page, card, close } = await open();
      await card("tracker").waitFor();
      // The hub is too fast for a person to see each phase of a small plugin.
      await page.evaluate(`{
      const real = globalThis.fetch;
      globalThis.fetch = async (url, init) => url === "/manager/api/plugins/install"
        ? new Response(new ReadableStream({ start(controller) {
            const event = { progress: { phase: "${phase}" } };
            controller.enqueue(new TextEncoder().encode("data: " + JSON.stringify(event) + "\\n\\n"));
          } }))
        : real(url, init);
    }`);
      await card("tracker").locator("button:has-text('Download')").click();
      const shown = card("tracker").locator("[aria-current=step]");
      await shown.waitFor();
      expect((await shown.innerText()).toLowerCase()).toBe(phase);
      await close();
    },
  );

  nightlyTest(
    "A plugin without a build for this machine: Download is disabled, with the reason",
    async () => {
      const { card, close } = await open();
      await card("elsewhere").waitFor();
      const download = card("elsewhere").locator("button:has-text('Download')");
      const button = card("elsewhere").locator("button[aria-label='Download Elsewhere']");
      expect(await button.isDisabled()).toBeTrue();
      expect(await card("elsewhere").innerText()).toContain(
        "It has no build for this machine. Available builds: plan9/mips.",
      );
      expect(await download.count()).toBeLessThanOrEqual(1);
      await close();
    },
  );

  nightlyTest("A download that fails says why, and can be closed", async () => {
    const { card, close } = await open();
    await card("broken").locator("button:has-text('Download')").click();
    await card("broken").locator("[role=alert]").waitFor();
    const text = await card("broken").locator("[role=alert]").innerText();
    expect(text).toContain("Download failed.");
    expect(text).toContain("404");
    await card("broken").locator("button:has-text('Close')").click();
    await card("broken").locator("[role=alert]").waitFor({ state: "detached" });
    await close();
  });

  nightlyTest("Disable shows the badge Disabled, and Undo and Enable take it back", async () => {
    await installTracker();
    await app.hub.cli("row", "add", "tracker", "--label", "Waits");
    const { page, card, close } = await open();
    await card("tracker").waitFor();
    await choose(page, "Tracker", "Disable");
    await card("tracker").locator("text='Disabled'").waitFor();
    await page.click("text=Undo");
    await card("tracker").locator("text='Disabled'").waitFor({ state: "detached" });
    await choose(page, "Tracker", "Disable");
    await card("tracker").locator("text='Disabled'").waitFor();
    await page.goto(`${app.base}${list}/tracker`);
    await page.waitForSelector("text=The plugin is disabled.");
    await page.click("text=Waits");
    await page.click("text=Go to the plugin");
    await card("tracker").waitFor();
    await choose(page, "Tracker", "Enable");
    await card("tracker").locator("text='Disabled'").waitFor({ state: "detached" });
    await app.hub.cli("row", "delete", "Waits");
    await app.hub.cli("plugin", "remove", "tracker");
    await close();
  });

  nightlyTest("Uninstall plugin says what is lost, wants the key, and keeps the rows", async () => {
    await installTracker();
    await app.hub.cli("row", "add", "tracker", "--label", "Kept");
    const { page, card, close, ...visitor } = await open();
    const watching = await open(`${list}/tracker`, { hasClock: true });
    await watching.page.waitForSelector("text=Kept");
    await card("tracker").waitFor();
    await choose(page, "Tracker", "Uninstall plugin");
    const dialog = page.locator("[role=dialog]");
    await dialog.locator("text=Its row and its settings stay").waitFor();
    await checkSchemes({ page, ...visitor });
    expect(await dialog.locator("button[type=submit]").isDisabled()).toBeTrue();
    await dialog.locator("input[type=text], input:not([type=checkbox])").fill("tracker");
    await dialog.locator("button[type=submit]").click();
    await page.waitForSelector("text=Tracker is uninstalled.");
    await card("tracker").locator("text=1 row waiting for it").waitFor();
    // A page that was open meanwhile says it too, and keeps what it knows of the rows.
    await watching.page.clock.fastForward(10_000);
    await watching.page.waitForSelector("text=This plugin is not installed.");
    await watching.page.waitForSelector("text=Kept");
    await watching.close([], { mayBeMissing: true });
    await close();
  });

  nightlyTest(
    "An ordinary user browses the catalog: Download requires an admin, the other actions are hidden",
    async () => {
      await installTracker();
      site.offerTracker("0.2.0");
      const { page, card, close } = await open(add, { as: user });
      await card("elsewhere").waitFor();
      const download = card("hostile").locator("button:has-text('Download')");
      expect(await download.isDisabled()).toBeTrue();
      expect(await card("hostile").innerText()).toContain("Requires admin");
      const shown = await page.locator("main").innerText();
      for (const text of ["Update to", "Uninstall", "Install plugin"]) {
        expect(shown).not.toContain(text);
      }
      expect(await page.locator("[aria-label^='Actions for']").count()).toBe(0);
      const refused = await page.evaluate<number>(`
      fetch("/profile/api/me").then((answer) => answer.json()).then(({ csrf_token }) =>
        fetch("/manager/api/plugins/tracker/disable",
          { method: "POST", headers: { "x-csrf-token": csrf_token } })).then(({ status }) => status)`);
      expect(refused).toBe(403);
      // Installed, without a row that the user sees.
      await page.goto(`${app.base}${list}/tracker`);
      await page.waitForSelector("text=No rows for you yet");
      expect(await page.locator("main").innerText()).not.toContain("not installed");
      // Only the row of the user's tag.
      await page.goto(`${app.base}${list}/http`);
      await page.waitForSelector("text=Search engine");
      expect(await page.locator("main").innerText()).not.toContain("Weather");
      expect(await page.locator("[aria-label^='Disable'], [aria-label^='Duplicate']").count()).toBe(
        0,
      );
      expect(await page.locator("text=Disable connector").count()).toBe(0);
      site.offerTracker("0.1.0");
      await app.hub.cli("plugin", "remove", "tracker");
      await close([expect.stringContaining("403")]);
    },
  );

  nightlyTest(
    "A catalog that cannot be loaded now is shown as it was, and a retry mends it",
    async () => {
      const { page, card, close } = await open();
      await card("elsewhere").waitFor();
      site.isDown = true;
      await page.reload();
      await page.waitForSelector("text=The catalog cannot be loaded now.");
      await card("elsewhere").waitFor();
      site.isDown = false;
      await page.click("button:has-text('Retry')");
      await page.waitForSelector("text=The catalog cannot be loaded now.", { state: "detached" });
      await close();
    },
  );

  nightlyTest(
    "Search, chips and Installed only stand in the address, and Back returns to them",
    async () => {
      const { page, card, close } = await open();
      await card("elsewhere").waitFor();
      await page.fill("input[aria-label='Search connectors']", "http");
      await page.waitForURL(/q=http/);
      await card("elsewhere").waitFor({ state: "detached" });
      await page.click("label:has-text('Built in')");
      await page.waitForURL(/show=builtin/);
      await page.click("label:has-text('Installed only')");
      await page.waitForURL(/installed=true/);
      await card("http").locator("h3 a").click();
      await page.waitForURL(`${app.base}${list}/http`);
      await page.goBack();
      await page.waitForURL(/installed=true/);
      expect(await page.inputValue("input[aria-label='Search connectors']")).toBe("http");
      await page.fill("input[aria-label='Search connectors']", "nothing has this");
      await page.click("text=Clear filters");
      await card("elsewhere").waitFor();
      expect(await page.inputValue("input[aria-label='Search connectors']")).toBe("");
      await close();
    },
  );

  nightlyTest(
    "A row is duplicated, and disabled with Undo; the type's switch says what disappears",
    async () => {
      const { page, close } = await open(`${list}/http`);
      await page.click("button[aria-label='Duplicate Weather']");
      await page.waitForSelector("text=It is disabled, and its secrets must be set.");
      await page.waitForSelector("button[aria-label^='Enable Weather']");
      await page.click("button[aria-label='Disable Weather']");
      await page.waitForSelector("text=Weather is disabled.");
      await page.click("text=Undo");
      await page.waitForSelector("button[aria-label='Disable Weather']");
      await page.click("input[aria-label=Tag]");
      await page.click("[role=option]:has-text('team')");
      await page.waitForURL(/tag=team/);
      await page.waitForSelector("[role=status]:text-is('1 row')");
      await page.click("text=Disable connector");
      await page.waitForSelector("text=/Its 4 rows with \\d+ operations? disappear/");
      await page.click("[role=dialog] button[type=submit]");
      await page.waitForSelector("text=This connector is disabled.");
      await page.click("text=Enable connector");
      await page.waitForSelector("text=This connector is disabled.", { state: "detached" });
      await close();
    },
  );

  nightlyTest("New row and the rows lead to their pages", async () => {
    const { page, close } = await open(`${list}/http`);
    await page.click("text=New row");
    await page.waitForURL(`${app.base}${list}/http/new`);
    await page.goBack();
    await page.click("[role=table] a:has-text('Weather')");
    await page.waitForURL(/\/manager\/connectors\/http\/[0-9a-f-]{36}/);
    await page.waitForSelector("h1:has-text('Weather')");
    await close();
  });

  test("Markup in names, descriptions, icons and labels is shown as text", async () => {
    const { page, card, close } = await open();
    await card("hostile").locator("button:has-text('Download')").click();
    await page.locator("section[aria-label=Installed] [data-connector=hostile]").waitFor();
    expect(await card("hostile").innerText()).toContain(hostile.name);
    await page.goto(`${app.base}${list}/hostile`);
    await page.waitForSelector("text=No rows yet");
    expect(await page.innerText("h1")).toBe(hostile.name);
    await page.goto(`${app.base}${list}/http`);
    await page
      .locator(`bdi:text-is(${JSON.stringify(hostile.name)})`)
      .first()
      .waitFor();
    expect(await page.evaluate("globalThis.ran ?? 0")).toBe(0);
    await app.hub.cli("plugin", "remove", "hostile");
    await close();
  });

  test("Each fits and is accessible in each look", async () => {
    await installTracker();
    await using visitor = await app.open();
    await checkPages(visitor, [
      list,
      add,
      `${add}/api`,
      `${list}/http`,
      `${list}/hub`,
      `${list}/tracker`,
    ]);
  });
});
