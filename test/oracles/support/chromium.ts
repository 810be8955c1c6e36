import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = [
  process.env.HUB_TEST_CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** What talks to nobody but the pages under test. */
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

/** Where a Chromium is on this machine; null, with a line that says so, where there is none. */
export function findChromium(): string | null {
  const found = places.find((place) => place !== "" && existsSync(place)) ?? null;
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
