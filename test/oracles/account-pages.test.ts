/**
 * Accounts of users in a real browser: a call leads its user to the page, who types a token or signs in elsewhere, and removes the
 * account again. The row's page says numbers, and names no user.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { serveProvider } from "@hub/server/bridges/mcp/oauth/testing/serve-provider.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkAccessibility, checkDarkPhone, checkPages } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";
import { listFilledButtons } from "./support/page-cost.ts";

setDefaultTimeout(180_000);

const path = "/profile/accounts";
const provider = serveProvider("grant deleting");

const toHubOptions = async (owned: AsyncDisposableStack) => {
  owned.defer(() => provider.close());
  return {};
};

describeApp({ title: "Accounts of users", toHubOptions }, (app) => {
  let typed: string;
  let signed: string;
  let shared: string;
  let ann: AppUser;
  let manage: string;

  beforeAll(async () => {
    manage = await app.hub.makeManageToken();
    const addRow = async (label: string, values: Record<string, string>) => {
      const body = { connector: "http", label, tags: ["everyone"], access: "own", values };
      return (await callApi<{ id: string }>(app.base, manage, "POST /manager/api/rows", body)).id;
    };
    typed = await addRow("Tickets", {
      base_url: provider.values.base_url,
      auth_mode: "bearer",
    });
    shared = await addRow("Notes", {
      base_url: provider.values.base_url,
      auth_mode: "bearer",
    });
    signed = await addRow("Tracker", provider.values);
    ann = await app.addUser("ann@example.com");
  });

  nightlyTest("A user types a token, sees for which host, and removes the account", async () => {
    await using visitor = await app.open(`${path}?row=${typed}`, { as: ann });
    const { page } = visitor;
    const card = page.getByRole("region", { name: "Tickets" });
    await card.getByText("A call of yours needs an account here.").waitFor();
    await card.getByRole("button", { name: "Connect" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(new URL(provider.values.base_url).host).waitFor();
    await dialog.getByLabel("Label").fill("work");
    await dialog.getByLabel("Token", { exact: false }).first().fill("a-token-of-ann");
    await checkAccessibility(visitor);
    await dialog.getByRole("button", { name: "Connect" }).click();
    await card.getByText("work").waitFor();
    await card.getByText("Connected", { exact: true }).waitFor();
    await checkDarkPhone(visitor);
    await card.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await card.getByText("work").waitFor({ state: "detached" });
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "An account whose row takes none any more is listed with its row, and can be removed",
    async () => {
      await using visitor = await app.open(path, { as: ann });
      const { page } = visitor;
      const dialog = page.getByRole("dialog");
      const card = page.getByRole("region", { name: "Notes" });
      await card.getByRole("button", { name: "Connect" }).click();
      await dialog.getByLabel("Token", { exact: false }).first().fill("a-token-of-ann");
      await dialog.getByRole("button", { name: "Connect" }).click();
      await card.getByText("Connected", { exact: true }).waitFor();
      const shown = await callApi<{ version: number }>(
        app.base,
        manage,
        `GET /manager/api/rows/${shared}`,
      );
      const body = { version: shown.version, access: "shared" };
      await callApi(app.base, manage, `PATCH /manager/api/rows/${shared}`, body);
      await page.reload();
      const left = page.getByRole("region", { name: "Not used any more" });
      await left.getByText("Notes", { exact: true }).waitFor();
      await left.getByRole("button", { name: "Remove" }).click();
      await dialog
        .getByRole("heading", { name: 'Remove the account "default" in Notes?' })
        .waitFor();
      await dialog.getByRole("button", { name: "Remove" }).click();
      await left.waitFor({ state: "detached" });
      expect(visitor.faults).toEqual([]);
    },
  );

  nightlyTest(
    "A user signs in elsewhere, comes back to the page, and the access is ended after Remove",
    async () => {
      await using visitor = await app.open(path, { as: ann });
      const { page } = visitor;
      const card = page.getByRole("region", { name: "Tracker" });
      await card.getByRole("button", { name: "Connect" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Connect" }).click();
      const host = new URL(provider.values.authorize_url).host;
      await dialog.getByRole("link", { name: `Continue to ${host}` }).waitFor();
      expect(await dialog.getByLabel("Label").isDisabled()).toBe(true);
      await dialog.getByRole("link", { name: `Continue to ${host}` }).click();
      await page.waitForURL(`**${path}?row=${signed}`);
      await card.getByText("Connected", { exact: true }).waitFor();
      expect(provider.isGrantAlive()).toBe(true);
      await using other = await app.open(`/manager/connectors/http/${signed}?tab=settings`);
      await other.page.getByText("1 user has connected an account.").waitFor();
      expect(await other.page.locator("main").innerText()).not.toContain("ann@");
      await card.getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await waitFor(() => !provider.isGrantAlive());
    },
  );

  test("The page fits all widths, with and without accounts", async () => {
    await using visitor = await app.open(path, { as: ann });
    await checkPages(visitor, [path, `${path}?row=${signed}`]);
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest("A row beyond the fifty is found by a search, and one button leads", async () => {
    for (let at = 0; at < 55; at += 1) {
      await callApi(app.base, manage, "POST /manager/api/rows", {
        connector: "http",
        label: `Store ${`${at}`.padStart(2, "0")}`,
        tags: ["stores"],
        access: "own",
        values: { base_url: provider.values.base_url, auth_mode: "bearer" },
      });
    }
    const eve = await app.addUser("eve@example.com", { tags: ["stores"] });
    await using visitor = await app.open(path, { as: eve });
    const { page } = visitor;
    const last = page.getByRole("region", { name: "Store 54" });
    await page.getByRole("region", { name: "Store 00" }).waitFor();
    expect(await last.count()).toBe(0);
    expect(await listFilledButtons(page)).toEqual(["Connect"]);
    await page.getByLabel("Search", { exact: true }).fill("store 54");
    await last.waitFor();
    await page.getByRole("region", { name: "Store 00" }).waitFor({ state: "detached" });
    await last.getByRole("button", { name: "Connect" }).waitFor();
    expect(await listFilledButtons(page)).toEqual(["Connect"]);
    expect(visitor.faults).toEqual([]);
  });
});
