/** Second factors and fresh sign-ins in a real browser, with its virtual authenticator. */

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CDPSession, Page } from "playwright-core";
import { toTotpCode, toTotpStep } from "../../packages/server/src/identity/second-factor/totp.ts";
import { queryDatabase } from "../support/query-database.ts";
import { checkServerPage } from "./support/app-pages.ts";
import { type App, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

type Authenticator = { session: CDPSession; authenticatorId: string };

/** A key of the device, which checks who the person is unless it is told otherwise. */
async function addAuthenticator(page: Page): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}

/** The secret of a set-up page as the hub stores it. */
async function readSecret(page: Page): Promise<string> {
  await page.getByText("Type it instead").click();
  const typed = (await page.locator("details pre").textContent()) ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...typed.trim()].map((char) => alphabet.indexOf(char).toString(2).padStart(5, "0"));
  const bytes =
    bits
      .join("")
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return Buffer.from(bytes).toString("base64url");
}

const toCode = (secret: string, away = 0) => toTotpCode(secret, toTotpStep(Date.now()) + away);

const signOut = (page: Page) => page.context().clearCookies({ name: "hub_session" });

const ageSessions = (app: App) =>
  queryDatabase(app.hub.dataDir, "update sessions set fresh_at = fresh_at - 3600000");

const pictures = process.env.HUB_TEST_SCREENSHOTS;
async function keepPicture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
}

describeApp(
  {
    title: "Second factors",
    toHubOptions: async () => ({ env: { HUB_FRESH_SIGN_IN: "5" } }),
  },
  (app) => {
    describe("a passkey of the browser", () => {
      test("is added, signs in alone and beside the password, and is no passkey of another address", async () => {
        const ann = await app.addUser("ann@example.com");
        await using visitor = await app.open("/profile/second-factor", { as: ann });
        const { page } = visitor;
        const { session, authenticatorId } = await addAuthenticator(page);
        await page.getByRole("link", { name: "Add a second factor" }).click();
        await page.getByLabel("Name of the passkey").fill("This browser");
        await page.getByRole("button", { name: "Add a passkey" }).click();
        await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
        const codes = (await page.locator("pre").textContent())?.trim().split("\n") ?? [];
        expect(codes).toHaveLength(10);
        await page.getByRole("link", { name: "I have kept them" }).click();
        await page.getByRole("cell", { name: "This browser" }).waitFor();
        const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
        expect(credentials).toMatchObject([{ rpId: "localhost", isResidentCredential: true }]);

        await signOut(page);
        await page.goto(`${app.base}/auth/login?next=/profile/tokens`);
        await page.getByRole("button", { name: "Sign in with a passkey" }).click();
        await page.waitForURL(`${app.base}/profile/tokens`);

        await signOut(page);
        await page.goto(`${app.base}/auth/login?next=/profile/tokens`);
        await page.getByLabel("E-mail").fill(ann.email);
        await page.getByLabel("Password").fill(ann.password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.getByRole("heading", { name: "Second factor" }).waitFor();
        await page.getByRole("button", { name: "Use a passkey" }).click();
        await page.waitForURL(`${app.base}/profile/tokens`);

        // Without a check of the person it is no sign-in of its own.
        await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
        await signOut(page);
        await page.goto(`${app.base}/auth/login`);
        await page.getByRole("button", { name: "Sign in with a passkey" }).click();
        await page.locator("form[data-passkey] [role=alert]:not(:empty)").waitFor();
        expect(visitor.faults).toEqual([]);
      });
    });

    describe("a change that needs a fresh sign-in", () => {
      test("asks in place for a code, and then is done once, also after a wrong code", async () => {
        const bob = await app.addUser("bob@example.com", { admin: true });
        await using visitor = await app.open("/profile/second-factor/add", { as: bob });
        const { page } = visitor;
        const secret = await readSecret(page);
        await page.getByLabel("Code that the app shows").fill(toCode(secret));
        await page.getByRole("button", { name: "Add the app" }).click();
        await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
        await page.goto(`${app.base}/admin/users`);
        await page.getByRole("link", { name: bob.email }).click();
        ageSessions(app);
        await page.getByRole("button", { name: "Remove all" }).click();
        const question = page.getByRole("dialog", { name: /Remove the second factors/ });
        await question.getByRole("button", { name: "Remove all" }).click();
        const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
        await dialog.getByLabel("Code of your app").fill("000000");
        await dialog.getByRole("button", { name: "Confirm" }).click();
        await dialog.getByRole("alert").waitFor();
        await dialog.getByLabel("Code of your app").fill(toCode(secret, 1));
        await dialog.getByRole("button", { name: "Confirm" }).click();
        // The change ends the sessions of the user, who is the admin.
        await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
        const records = queryDatabase<{ count: number }>(
          app.hub.dataDir,
          "select count(*) as count from changes where action = 'user.remove_factors'",
        );
        expect(Number(records[0]?.count)).toBe(1);
      });

      test("asks for the password of a user without a second factor, and goes on in the same page", async () => {
        const cleo = await app.addUser("cleo@example.com");
        await using visitor = await app.open("/admin/users", { as: app.admin });
        const { page } = visitor;
        await page.getByRole("link", { name: cleo.email }).click();
        ageSessions(app);
        await page.getByLabel("Role", { exact: true }).selectOption("admin");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByRole("button", { name: "Make an admin" }).click();
        const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
        await dialog.getByLabel("Password of").fill(app.admin.password);
        await dialog.getByRole("button", { name: "Confirm" }).click();
        await page.getByText("cleo@example.com is saved.").waitFor();
      });

      test("is not done if the user goes back", async () => {
        const dan = await app.addUser("dan@example.com");
        await using visitor = await app.open("/admin/users", {
          as: await app.addUser("eva@example.com", { admin: true }),
        });
        const { page } = visitor;
        await page.getByRole("link", { name: dan.email }).click();
        ageSessions(app);
        await page.getByLabel("Role", { exact: true }).selectOption("admin");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByRole("button", { name: "Make an admin" }).click();
        const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
        await dialog.getByLabel("Password of").waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("alert").getByText("Confirm first that it is you").waitFor();
        const [stored] = queryDatabase<{ role: string }>(
          app.hub.dataDir,
          "select role from users where email = 'dan@example.com'",
        );
        expect(stored?.role).toBe("user");
      });
    });

    test("The session of a user with a second factor is renewed above the page, by password and code", async () => {
      const fay = await app.addUser("fay@example.com");
      await using visitor = await app.open("/profile/second-factor/add", { as: fay });
      const { page } = visitor;
      const secret = await readSecret(page);
      await page.getByLabel("Code that the app shows").fill(toCode(secret));
      await page.getByRole("button", { name: "Add the app" }).click();
      await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
      await page.goto(`${app.base}/workflows`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await signOut(page);
      await page.getByRole("link", { name: "Calls" }).click();
      const dialog = page.getByRole("dialog", { name: "Sign in again" });
      await dialog.getByLabel("Password of").fill(fay.password);
      await dialog.getByRole("button", { name: "Sign in" }).click();
      await dialog.getByLabel("Code of your app").fill(toCode(secret, 1));
      await dialog.getByRole("button", { name: "Sign in" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: "Calls" }).waitFor();
    });

    test("The pages fit each width and both colour schemes, and axe finds nothing", async () => {
      const gil = await app.addUser("gil@example.com");
      for (const width of [390, 1440]) {
        await using visitor = await app.open("/profile/second-factor", { as: gil, width });
        const { page } = visitor;
        for (const path of ["/profile/second-factor", "/profile/second-factor/add"]) {
          await page.goto(`${app.base}${path}`);
          // In both colour schemes.
          await checkServerPage(page);
          expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(width);
          await keepPicture(page, `${path.replaceAll("/", "-")}-${width}`);
        }
        expect(visitor.faults).toEqual([]);
      }
    });
  },
);
