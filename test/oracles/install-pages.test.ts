/** Plugins from a file and an address, and one update by two admins, in a real browser. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { checkAccessibility, checkLooks } from "./support/app-pages.ts";
import { describeApp } from "./support/open-app.ts";
import { openPluginSite, type PluginSite } from "./support/plugin-site.ts";

setDefaultTimeout(180_000);

const list = "/manager/add";
let site: PluginSite;

async function offerPlugins(owned: AsyncDisposableStack) {
  site = owned.use(await openPluginSite());
  return { env: { HUB_PLUGIN_CATALOG: site.catalog } };
}

/** Drops files on the page, as a person does from a folder. */
async function drop(page: Page, files: Array<{ name: string; bytes: Uint8Array }>): Promise<void> {
  const given = files.map(({ name, bytes }) => ({
    name,
    text: Buffer.from(bytes).toString("hex"),
  }));
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    for (const { name, text } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
      dataTransfer.items.add(new File([bytes], name));
    }
    for (const name of ["dragenter", "dragover", "drop"]) {
      const event = new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector("main").dispatchEvent(event);
    }
  }`);
}

const dialog = "[role=dialog]";
const submit = `${dialog} button[type=submit]`;

describeApp({ title: "Plugins from elsewhere", toHubOptions: offerPlugins }, (app) => {
  test("A dropped archive is installed with the phases uploading, verifying, replacing and done", async () => {
    await using visitor = await app.open(list);
    const { page, faults } = visitor;
    await page.waitForSelector("[data-connector=tracker]");
    await drop(page, [{ name: "tracker-0.1.0.zip", bytes: site.readTracker("0.1.0") }]);
    await page.waitForSelector(`${dialog} >> text=tracker-0.1.0.zip`);
    // The words of the doctor, which tries the fence.
    const { stdout } = await app.hub.tryCli(["doctor"]);
    const [, fence = ""] = /plugin fence +([^:.]+)/.exec(stdout) ?? [];
    await page.getByRole("dialog").getByText(fence).waitFor();
    // The phases are too short to be seen one by one.
    await page.evaluate(`{
      globalThis.seen = [];
      const note = () => {
        const text = document.querySelector("li[aria-current=step]")?.textContent;
        if (text !== undefined) globalThis.seen.push(text.split(" ")[0]);
      };
      const watched = { subtree: true, childList: true, attributes: true, characterData: true };
      new MutationObserver(note).observe(document.body, watched);
    }`);
    await page.click(submit);
    await page.waitForSelector("text=Tracker 0.1.0 is installed.");
    await page.waitForSelector(dialog, { state: "detached" });
    await page.waitForSelector("section[aria-label=Installed] [data-connector=tracker]");
    const seen = await page.evaluate<string[]>("[...new Set(globalThis.seen)]");
    const order = ["Uploading", "Verifying", "Replacing", "Done"];
    // React joins steps that arrive together.
    expect(seen).toEqual(order.filter((phase) => seen.includes(phase)));
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "A file of the same name replaces the plugin only when the admin trusts it",
    async () => {
      await using visitor = await app.open(list);
      const { page, faults } = visitor;
      await page.click("text=Install plugin");
      await page.setInputFiles(`${dialog} input[type=file]`, {
        name: "tracker-0.2.0.zip",
        mimeType: "application/zip",
        buffer: Buffer.from(site.readTracker("0.2.0")),
      });
      await page.click(submit);
      await page.waitForSelector(`${dialog} [role=alert] >> text=the uploaded file`);
      await page.click(`${dialog} >> text=Trust it and replace`);
      await page.waitForSelector("text=Tracker 0.2.0 is installed.");
      expect(faults).toEqual([]);
      await app.hub.cli("plugin", "remove", "tracker");
    },
  );

  nightlyTest(
    "What is no archive is refused before it is sent, a broken one by the hub, and a file can be removed again",
    async () => {
      await using visitor = await app.open(list);
      const { page } = visitor;
      const sent: string[] = [];
      page.on("request", (request) => void sent.push(request.url()));
      const text = new TextEncoder().encode("hello");
      await drop(page, [{ name: "notes.txt", bytes: text }]);
      await page.waitForSelector(`${dialog} [role=alert] >> text=Choose a .zip or .tar.gz file.`);
      expect(await page.isDisabled(submit)).toBeTrue();
      await drop(page, [
        { name: "a.zip", bytes: text },
        { name: "b.zip", bytes: text },
      ]);
      await page.waitForSelector(`${dialog} >> text=one archive at a time`);
      expect(sent.filter((url) => url.includes("/upload"))).toEqual([]);
      await drop(page, [{ name: "a.zip", bytes: text }]);
      await page.click(submit);
      await page.waitForSelector(`${dialog} [role=alert] >> text=Upload failed.`);
      await page.click(`${dialog} button[aria-label="Remove the file"]`);
      await page.waitForSelector(`${dialog} >> text=Drop a .zip or .tar.gz file here.`);
    },
  );

  nightlyTest("An upload can be stopped, and nothing is installed", async () => {
    await using visitor = await app.open(list);
    const { page } = visitor;
    const session = await page.context().newCDPSession(page);
    await drop(page, [{ name: "large.zip", bytes: new Uint8Array(300_000) }]);
    await page.waitForSelector(`${dialog} >> text=large.zip`);
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 20_000,
    });
    await page.click(submit);
    await page.waitForSelector(`${dialog} li[aria-current=step]:has-text("Uploading")`);
    await page.click(`${dialog} button:has-text("Stop")`);
    await page.waitForSelector(`${dialog} li[aria-current=step]`, { state: "detached" });
    expect(await page.locator(`${dialog} [role=alert]`).count()).toBe(0);
    expect((await app.hub.cli("plugin", "list", "--json")).json<unknown>()).toEqual([]);
  });

  nightlyTest(
    "The keyboard alone installs from an address, and a failure says what to do",
    async () => {
      await using visitor = await app.open(list);
      const { page } = visitor;
      await page.focus('button:has-text("Install plugin")');
      await page.keyboard.press("Enter");
      await page.waitForSelector(`${dialog} button:focus`);
      await page.keyboard.press("Tab");
      await page.keyboard.type("http://example.com/a.zip");
      await page.waitForSelector(`${dialog} >> text=Give an https:// address.`);
      await page.keyboard.press("Control+a");
      await page.keyboard.type("https://127.0.0.1:1/a.zip");
      await page.keyboard.press("Enter");
      await page.waitForSelector(`${dialog} [role=alert] >> text=Download failed.`);
      await page.keyboard.press("Escape");
      await page.waitForSelector(dialog, { state: "detached" });
    },
  );

  nightlyTest(
    "A plugin updated from two browsers at once shows its phases in both, and the update runs once",
    async () => {
      site.offerTracker("0.1.0");
      await app.hub.cli("plugin", "install", "tracker", "--replace");
      site.offerTracker("0.2.0");
      const visitors = [await app.open(list), await app.open(list)];
      const release = site.holdDownloads();
      const card = "[data-connector=tracker]";
      for (const { page } of visitors) {
        await page.click(`${card} button:has-text("Update to 0.2.0")`);
        await page.waitForSelector(`${card} [aria-current=step]:has-text("Downloading")`);
      }
      release();
      for (const { page } of visitors) {
        await page.waitForSelector("text=Tracker is updated to 0.2.0.");
      }
      const token = await app.hub.makeManageToken();
      const headers = { authorization: `Bearer ${token}` };
      const url = `${app.base}/admin/api/changes?action=plugin.update`;
      const { changes } = Object(await (await fetch(url, { headers })).json());
      expect(changes).toHaveLength(1);
      for (const { faults } of visitors) expect(faults).toEqual([]);
      for (const visitor of visitors) await visitor[Symbol.asyncDispose]();
      await app.hub.cli("plugin", "remove", "tracker");
    },
  );

  nightlyTest("A hub without a catalog says what to do, and that is no error", async () => {
    await using visitor = await app.open("/manager/runs");
    const { page, faults } = visitor;
    const text = "In a checkout, `npm run plugins` creates one.";
    await page.route("**/manager/api/plugins/catalog", (route) =>
      route.fulfill({ json: { plugins: [], stale_since: null, no_catalog: text } }),
    );
    await page.goto(`${app.base}${list}`);
    await page.waitForSelector("text=No catalog yet");
    expect(await page.textContent("main code")).toBe("npm run plugins");
    expect(await page.locator("main [role=alert]").count()).toBe(0);
    await checkAccessibility(visitor);
    expect(faults).toEqual([]);
  });

  test("Users who are no admins cannot install, and what they drop is not taken", async () => {
    const user = await app.addUser("ada@example.com");
    await using visitor = await app.open(list, { as: user });
    const { page } = visitor;
    await page.waitForSelector("[data-connector=tracker]");
    expect(await page.locator("text=Install plugin").count()).toBe(0);
    await drop(page, [{ name: "tracker.zip", bytes: site.readTracker("0.1.0") }]);
    expect(await page.locator(dialog).count()).toBe(0);
  });

  test("The dialog fits and is accessible in every width, dark and light", async () => {
    await using visitor = await app.open(list);
    const { page } = visitor;
    const name = `${"a-long-name-".repeat(8)}.zip`;
    await drop(page, [{ name, bytes: new Uint8Array(9) }]);
    await page.waitForSelector(`${dialog} >> text=${name}`);
    await page.click(submit);
    await page.waitForSelector(`${dialog} [role=alert]`);
    await checkLooks(visitor);
  });
});
