import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from "playwright-core";

const paths = [
  process.env.HUB_TEST_CHROMIUM ?? "",
  // The same engine without windows of its own, in half of the time.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Options that disable all network traffic except that of the tested pages. */
const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * For the runner of all files, whose pages live for seconds. What the engine optimizes for them costs more than it saves, and so
 * do a small nursery and threads that collect and paint beside it: without them a page needs a quarter less CPU. A test that is
 * run by itself has them, as a person's browser does.
 */
const shortLife = [
  "--js-flags=--no-opt --no-maglev --min-semi-space-size=32 --max-semi-space-size=64 --single-threaded-gc",
  "--num-raster-threads=1",
  // Pages of one address are loaded often.
  "--v8-cache-options=code",
  ...(process.env.S4FLAGS ? process.env.S4FLAGS.split("|") : []),
];

/** For a page that is not ready. Tests do not measure time, and a busy machine needs ten times as long as a quiet one. */
export const waitMsMax = 60_000;

/** Finds Chromium on this machine. Without one, it prints a message and returns null. */
export function findChromium(): string | null {
  const found = paths.find((path) => path !== "" && existsSync(path)) ?? null;
  if (found === null) {
    console.warn(
      "skipped: the tests in a browser need chromium, or HUB_TEST_CHROMIUM with its path",
    );
  }
  return found;
}

/** What tests use of a browser. `close` closes the contexts that were made by it. */
export type TestBrowser = Pick<
  Browser,
  "newContext" | "newPage" | "newBrowserCDPSession" | "close"
>;

let kept: Promise<Browser> | undefined;

/**
 * Starts a browser. With `HUB_TEST_KEEP_BROWSER=1`, the test files of one process use one, which ends with the process.
 * Contexts share nothing, and a start takes half a second of CPU.
 */
export async function startChromium(executablePath: string): Promise<TestBrowser> {
  if (process.env.HUB_TEST_KEEP_BROWSER !== "1") {
    const browser = await chromium.launch({ executablePath, args });
    return shareBrowser(browser, () => browser.close());
  }
  const launch = () => chromium.launch({ executablePath, args: [...args, ...shortLife] });
  // The runner ends it after a test that took too long.
  if (kept === undefined || !(await kept).isConnected()) kept = launch();
  return shareBrowser(await kept);
}

function shareBrowser(browser: Browser, end = async () => {}): TestBrowser {
  const contexts: BrowserContext[] = [];
  async function newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(waitMsMax);
    contexts.push(context);
    return context;
  }
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    newBrowserCDPSession: () => browser.newBrowserCDPSession(),
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await end();
    },
  };
}
