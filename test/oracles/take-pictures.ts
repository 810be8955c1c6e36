/**
 * Keeps pictures of every page in a folder, in four widths and two colour schemes, for people to look
 * at: `bun test/oracles/take-pictures.ts FOLDER [--only NAMES] [--width PIXELS] [--scheme NAMES] [--look NAMES] [--axe]`.
 * Each option takes several values, separated by commas; a look is a width and a scheme, such as `390-dark`. An unknown one is an error that lists the
 * known ones. A page is loaded for a phone and for a desk; its other looks are taken by resizing. It names what has more than one filled button, or jumps while it loads; with `--axe`, what axe finds.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { createTestOAuthClient } from "../support/oauth-fixture.ts";
import { listViolations } from "./support/app-pages.ts";
import { findChromium, startChromium } from "./support/chromium.ts";
import { openSession } from "./support/open-app.ts";
import { costMax, listFilledButtons, observeShifts, readShifts } from "./support/page-cost.ts";
import { listPagePictures, type PagePicture } from "./support/page-pictures.ts";
import { openSampleHub } from "./support/sample-hub.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    width: { type: "string" },
    scheme: { type: "string" },
    look: { type: "string" },
    axe: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
const executable = findChromium();
if (folder === undefined || executable === null) {
  console.error("Usage: bun test/oracles/take-pictures.ts FOLDER, on a machine with Chromium");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

// The shape of what is late stays, unseen.
const isLoaded = `![...document.querySelectorAll('[role=status][aria-label="Loading"]')]
  .some((one) => one.checkVisibility({ visibilityProperty: true })) &&
  !/(^|\\n)Searching…(\\n|$)/.test(document.body.innerText)`;

const schemes = ["light", "dark"] as const;
const widths = ["390", "1024", "1440", "1920"] as const;
type Look = { width: number; colorScheme: (typeof schemes)[number] };

const wantedSchemes = choose("scheme", options.scheme, schemes);
const allLooks = choose("width", options.width, widths).flatMap((width): Look[] =>
  wantedSchemes.map((colorScheme) => ({ width: Number(width), colorScheme })),
);
const toLookName = ({ width, colorScheme }: Look) => `${width}-${colorScheme}`;
const lookNames = choose("look", options.look, allLooks.map(toLookName));
const looks = allLooks.filter((look) => lookNames.includes(toLookName(look)));

await using owned = new AsyncDisposableStack();
const browser = await startChromium(executable);
owned.defer(() => browser.close());
const main = join(import.meta.dirname, "../support/form-hub.ts");
const sample = owned.use(await openSampleHub({ main }));
const email = "luis.ortega@example.com";
const made = await sample.hub.cli("user", "password", email, "--json");
const { one_time_password: password } = made.json<{ one_time_password: string }>();
const user = await openSession(sample.base, { email, password });
const added = ["user", "add", "hana.sato@example.com", "--password", "--json"];
const once = (await sample.hub.cli(...added)).json<{ one_time_password: string }>();
const newcomer = await openSession(sample.base, {
  email: "hana.sato@example.com",
  password: once.one_time_password,
});

const client = createTestOAuthClient(sample.base);
async function toConsent(name: string, redirectUri: string): Promise<string> {
  const id = await client.register({ redirect_uris: [redirectUri], client_name: name });
  return client.toAuthorizeUrl(id, { redirect_uri: redirectUri });
}
const pictures = await listPagePictures(sample, {
  user,
  consent: await toConsent("Claude Code", "http://127.0.0.1:51999/callback"),
  consentOfApp: await toConsent("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback"),
});

/** The looks of one page load: the layout of a phone is loaded for itself, the others by resizing. */
async function take(picture: PagePicture, group: readonly Look[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const cookies = { admin: sample.admin, user, newcomer, guest: { cookies: [] } }[
    picture.as ?? "admin"
  ].cookies;
  await using used = new AsyncDisposableStack();
  const { width, colorScheme } = first;
  const toSize = (width: number) => ({ width, height: picture.height ?? 900 });
  const context = await browser.newContext({ colorScheme, viewport: toSize(width) });
  used.defer(() => context.close());
  context.setDefaultTimeout(30_000);
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.addInitScript(observeShifts);
  await picture.before?.(page);
  const url = picture.path.startsWith("http") ? picture.path : `${sample.base}${picture.path}`;
  await page.goto(url);
  if (picture.isLoading !== true) {
    await page.waitForSelector("h1", { timeout: 40_000 });
    await page.waitForLoadState("networkidle");
  }
  const { shift, moved } = await readShifts(page);
  if (shift > costMax.shift) console.error(`${picture.name} ${width}: shift ${shift}`, moved);
  await picture.act?.(page);
  await page.evaluate("document.fonts.ready");
  for (const look of group) {
    await page.setViewportSize(toSize(look.width));
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await keep(picture, look, page);
  }
}

async function keep(picture: PagePicture, look: Look, page: Page): Promise<void> {
  if (picture.isLoading !== true) await untilLoaded(page);
  const filled = picture.isLoading === true ? [] : await listFilledButtons(page);
  if (filled.length > 1) console.error(`${picture.name}: filled buttons: ${filled.join(", ")}`);
  if (options.axe) {
    const found = await listViolations(page);
    if (found.length > 0) console.error(`${picture.name} ${toLookName(look)}: axe:`, found);
  }
  await page.screenshot({
    path: join(folder ?? "", `${picture.name}-${toLookName(look)}.png`),
    fullPage: picture.isWindow !== true,
    animations: "disabled",
  });
}

/** No skeleton is left, and nothing is searched for. What does not come is taken as it is. */
async function untilLoaded(page: Page): Promise<void> {
  const deadline = Date.now() + 10_000;
  // By the protocol, because the policy of the page forbids the eval of `waitForFunction`.
  while (!(await page.evaluate<boolean>(isLoaded))) {
    if (Date.now() > deadline) return console.error(`${page.url()}: still loading`);
    await Bun.sleep(50);
  }
}

const names = choose(
  "only",
  options.only,
  pictures.map(({ name }) => name),
);
const wanted = pictures.filter(({ name }) => names.includes(name));
for (const picture of wanted) {
  try {
    await picture.prepare?.();
    await Promise.all(
      [true, false].map(async (isPhone) => {
        const group = looks.filter(({ width }) => width < 500 === isPhone);
        // A page that is loading says so only for some seconds.
        const loads = picture.isLoading ? group.map((look) => [look]) : [group];
        for (const load of loads) await take(picture, load);
      }),
    );
  } catch (error) {
    console.error(`${picture.name}: ${error}`);
    process.exitCode = 1;
  } finally {
    await picture.undo?.();
  }
}

/** The known values that an option names; all of them without it. Ends the program at an unknown one. */
function choose<Value extends string>(
  option: string,
  text: string | undefined,
  known: readonly Value[],
): Value[] {
  const asked = text?.split(",").filter(Boolean);
  const unknown = asked?.filter((value) => !known.some((one) => one === value)) ?? [];
  if (unknown.length > 0) {
    console.error(`--${option}: unknown ${unknown.join(", ")}. Known: ${known.join(", ")}`);
    process.exit(2);
  }
  return known.filter((value) => asked?.includes(value) ?? true);
}
