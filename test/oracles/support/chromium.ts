import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

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

export function startChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}
