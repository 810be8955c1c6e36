/** Passkeys through the real door, with an authenticator in software. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createSoftPasskey } from "@hub/server/identity/second-factor/testing/soft-passkey.ts";
import { createPageBrowser, type PageBrowser } from "../support/page-browser.ts";
import { queryDatabase } from "../support/query-database.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import {
  enter,
  openApi,
  readCodes,
  readField,
  signInByHand,
  signUp,
  toNamedUrl,
} from "./factor-people.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;
let site: { origin: string; host: string };

beforeAll(async () => {
  hub = owned.use(await startHub({ hasCheapPasswords: true, isHere: true }));
  site = { origin: toNamedUrl(hub), host: "localhost" };
});
afterAll(() => owned.disposeAsync());

type Options = { challenge: string; user?: { id: string }; keys: string[]; rpId?: string };

/** What the page gives to the browser, and the sealed challenge beside it. */
function readOptions(html: string, action: string): Options & { state: string } {
  const form = new RegExp(
    `<form[^>]*action="${action}"[^>]*data-passkey="([^"]*)"[^>]*>(.*?)</form>`,
    "s",
  ).exec(html);
  const text = (form?.[1] ?? "{}").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  return { ...JSON.parse(text), state: readField(form?.[2] ?? "", "state") };
}

type Owner = {
  browser: PageBrowser;
  passkey: ReturnType<typeof createSoftPasskey>;
  id: string;
  codes: string[];
};

async function addPasskey(email: string): Promise<Owner> {
  const browser = await signUp(hub, email);
  await browser.go("/profile/second-factor/add");
  const options = readOptions(browser.html(), "/profile/second-factor/add/passkey");
  const passkey = createSoftPasskey();
  const { challenge, state } = options;
  const fields = { ...passkey.make({ challenge, site, counter: 1 }), state, name: "Laptop" };
  await browser.submit("/profile/second-factor/add/passkey", fields);
  const codes = readCodes(browser.html());
  expect(codes).toHaveLength(10);
  return { browser, passkey, id: options.user?.id ?? "", codes };
}

/** Opens the sign-in page, and answers its challenge. */
async function enterByPasskey(
  { passkey, id }: Pick<Owner, "passkey" | "id">,
  counter: number,
  more = {},
) {
  const browser = createPageBrowser(toNamedUrl(hub));
  await browser.go("/auth/login?next=%2Fprofile");
  const { challenge, state } = readOptions(browser.html(), "/auth/passkey");
  const fields = passkey.sign({ challenge, site, counter, userHandle: id, ...more });
  await browser.submit("/auth/passkey", { ...fields, state });
  return { browser, fields: { ...fields, state } };
}

describe("a passkey", () => {
  test("signs in alone where it checks the person, and beside the password where it does not", async () => {
    const owner = await addPasskey("ann@example.com");
    const alone = await enterByPasskey(owner, 2);
    expect(alone.browser.path()).toBe("/profile");
    const unchecked = await enterByPasskey(owner, 3, { isVerified: false });
    expect(unchecked.browser.html()).toContain("was not accepted");
    const browser = createPageBrowser(toNamedUrl(hub));
    await enter(browser, "ann@example.com");
    const { challenge, state, keys } = readOptions(browser.html(), "/auth/second-factor");
    expect(keys).toEqual([owner.passkey.credentialId]);
    const fields = owner.passkey.sign({ challenge, site, counter: 3, isVerified: false });
    await browser.submit("/auth/second-factor", { ...fields, state });
    expect(browser.path()).toBe("/profile");
  });

  test("answers each challenge once, and only in the browser that was asked", async () => {
    const owner = await addPasskey("bob@example.com");
    const { browser, fields } = await enterByPasskey(owner, 0x100);
    expect(browser.path()).toBe("/profile");
    const replay = createPageBrowser(toNamedUrl(hub));
    await replay.go("/auth/login");
    await replay.submit("/auth/passkey", fields);
    expect(replay.html()).toContain("was not accepted");
    await browser.go("/profile");
    await browser.submit("/auth/passkey", fields);
    expect(browser.path()).toBe("/auth/passkey");
  });

  test("of another user, another site, another challenge or an unknown key is not accepted", async () => {
    const owner = await addPasskey("cid@example.com");
    const other = await addPasskey("dan@example.com");
    const foreign = { origin: "https://evil.example", host: "evil.example" };
    const attacks = [
      { ...owner, id: other.id },
      { ...owner, id: "" },
      { ...owner, passkey: createSoftPasskey() },
    ];
    for (const attack of attacks) {
      expect((await enterByPasskey(attack, 9)).browser.html()).toContain("was not accepted");
    }
    for (const more of [
      { site: foreign },
      { challenge: "x".repeat(43) },
      { site: { ...site, host: foreign.host } },
    ]) {
      expect((await enterByPasskey(owner, 9, more)).browser.html()).toContain("was not accepted");
    }
    const browser = createPageBrowser(toNamedUrl(hub));
    await enter(browser, "cid@example.com");
    const { challenge, state } = readOptions(browser.html(), "/auth/second-factor");
    const fields = other.passkey.sign({ challenge, site, counter: 9, userHandle: other.id });
    await browser.submit("/auth/second-factor", { ...fields, state });
    expect(browser.path()).toBe("/auth/second-factor");
    expect((await enterByPasskey(owner, 9)).browser.path()).toBe("/profile");
  });

  test("whose counter does not grow is refused as a copy, on record", async () => {
    const owner = await addPasskey("eva@example.com");
    expect((await enterByPasskey(owner, 7)).browser.path()).toBe("/profile");
    for (const counter of [7, 6, 0]) {
      const { browser } = await enterByPasskey(owner, counter);
      expect(browser.html()).toContain("may have been copied");
    }
    const records = queryDatabase<{ target: string }>(
      hub.dataDir,
      "select target from changes where action = 'user.refuse_passkey'",
    );
    expect(records.map(({ target }) => target)).toEqual(Array(3).fill("eva@example.com"));
    expect((await enterByPasskey(owner, 8)).browser.path()).toBe("/profile");
  });

  test("opens nothing once its user is disabled or has no password here, and is added once", async () => {
    const owner = await addPasskey("fox@example.com");
    await hub.cli("user", "disable", "fox@example.com");
    expect((await enterByPasskey(owner, 2)).browser.html()).toContain("was not accepted");
    await hub.cli("user", "enable", "fox@example.com");
    queryDatabase(
      hub.dataDir,
      "update users set password_hash = null where email = 'fox@example.com'",
    );
    expect((await enterByPasskey(owner, 3)).browser.html()).toContain("was not accepted");
  });

  test("cannot be added twice, also not with the challenge of before", async () => {
    const browser = await signUp(hub, "gus@example.com");
    await browser.go("/profile/second-factor/add");
    const { challenge, state } = readOptions(browser.html(), "/profile/second-factor/add/passkey");
    const add = (passkey: ReturnType<typeof createSoftPasskey>) =>
      browser.submit("/profile/second-factor/add/passkey", {
        ...passkey.make({ challenge, site }),
        state,
        name: "Key",
      });
    const passkey = createSoftPasskey();
    await add(passkey);
    await browser.go("/profile/second-factor/add");
    await add(passkey);
    expect(browser.html()).toContain("was added before");
    await browser.go("/profile/second-factor/add");
    await add(createSoftPasskey());
    expect(browser.html()).toContain("was added before");
    const cookie = await signInByHand(toNamedUrl(hub), "gus@example.com", "x").catch(() => "");
    expect(cookie).toBe("");
  });
});

test("The sign-in page has a script only where a user has a passkey", async () => {
  const policy = async (of: RunningHub) =>
    (await fetch(`${toNamedUrl(of)}/auth/login`)).headers.get("content-security-policy") ?? "";
  await addPasskey("hub@example.com");
  expect(await policy(hub)).toMatch(/script-src 'sha256-[^ ]+'$/);
  await using none = await startHub({ hasCheapPasswords: true, isHere: true });
  expect(await policy(none)).not.toContain("script-src");
});

test("The last factor goes with its recovery codes, and the password is enough again", async () => {
  const owner = await addPasskey("ivy@example.com");
  const cookie = await signInByHand(toNamedUrl(hub), "ivy@example.com", owner.codes[0] ?? "");
  const { send } = await openApi(toNamedUrl(hub), cookie);
  const { factors } = (await send("GET", "/profile/api/factors")).body;
  const [factor] = factors as Array<{ id: string; name: string }>;
  expect(factor?.name).toBe("Laptop");
  expect((await send("DELETE", `/profile/api/factors/${crypto.randomUUID()}`)).status).toBe(404);
  const removed = await send("DELETE", `/profile/api/factors/${factor?.id}`);
  expect(removed.body).toEqual({ factors: [], recovery_codes_left: 0 });
  const browser = createPageBrowser(toNamedUrl(hub));
  await enter(browser, "ivy@example.com");
  expect(browser.path()).toBe("/profile");
});
