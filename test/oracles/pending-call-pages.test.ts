/**
 * Calls that wait for a person, in a real browser: who is asked is led from the home page to all that is known of the call, and
 * decides; others are told that it is for another user.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { waitFor } from "../support/wait-for.ts";
import { checkAccessibility, checkPages } from "./support/app-pages.ts";
import { cardSizes, readCard, readValue } from "./support/approval-cards.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const outside = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => Response.json({ number: 7 }),
});

const toHubOptions = async (owned: AsyncDisposableStack) => {
  owned.defer(() => outside.stop(true));
  return { env: { HUB_OUTBOUND_ALLOW: `127.0.0.1:${outside.port}` } };
};

describeApp({ title: "Calls that wait", toHubOptions }, (app) => {
  let row: string;
  let grace: AppUser;
  let ben: AppUser;
  let token: string;

  beforeAll(async () => {
    const manage = await app.hub.makeManageToken();
    const made = await callApi<{ id: string }>(app.base, manage, "POST /manager/api/rows", {
      connector: "http",
      label: "Payments",
      tags: ["shop"],
      values: { base_url: `http://127.0.0.1:${outside.port}` },
    });
    row = made.id;
    const args = ["--asks", "always", "--decided-by", "leads", "--hour", "--sentence", "Money."];
    await app.hub.cli("rule", "set", "Payments", ...args);
    grace = await app.addUser("grace@example.com", { tags: ["leads"] });
    ben = await app.addUser("ben@example.com", { tags: ["shop"] });
    const created = await app.hub.cli(
      ...["token", "create", "--user", "ben@example.com", "--name", "laptop", "--json"],
    );
    token = created.json<{ token: string }>().token;
  });

  /** Calls as the client of Ben. Returns the answer. */
  async function call(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${app.base}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "hub_execute",
          arguments: { tool_id: `conn:${row}/get`, params: { path } },
        },
      }),
    });
    const { result } = (await response.json()) as { result: { content: Array<{ text: string }> } };
    return JSON.parse(result.content[0]?.text ?? "{}");
  }

  const title = /^May ben@example\.com call .*\?$/;

  test("An approver is led from the home page to a call, and approves it by keyboard with a comment", async () => {
    const { pending_id: id } = await call("/orders/1");
    await using visitor = await app.open("/", { as: grace });
    const { page } = visitor;
    await page.getByRole("link", { name: "Approvals 1 waiting for you" }).waitFor();
    await page.getByRole("link", { name: /Payments$/ }).click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    expect(page.url()).toEndWith(`/approvals/calls/${id}`);
    for (const text of [
      "HTTP",
      "laptop",
      "Ask before acting: Money.",
      "Other users with the tag leads",
    ]) {
      await page.getByText(text, { exact: true }).first().waitFor();
    }
    await checkAccessibility(visitor);
    await page.keyboard.press("c");
    await page.keyboard.type("add it");
    await page.keyboard.press("Escape");
    await page.locator("[data-settled]").waitFor({ state: "attached" });
    await page.keyboard.press("a");
    await page.getByText("You have approved it").waitFor();
    await page.getByText("It runs when its client calls again.").waitFor();
    expect(await call("/orders/1")).not.toHaveProperty("code");
    await page.getByText("It has run.").waitFor();
    await page.getByRole("link", { name: "Approvals", exact: true }).first().click();
    await page.getByText("Nothing waits for you").waitFor();
    await page.getByRole("tab", { name: "Decided" }).click();
    await page
      .getByRole("row", { name: /May ben@example\.com.*Has run.*grace@example\.com/ })
      .waitFor();
    expect(visitor.faults).toEqual([]);
  });

  nightlyTest(
    "What decides and both buttons are seen without scrolling, on a phone too",
    async () => {
      const { pending_id: id } = await call("/orders/2");
      await using visitor = await app.open("/approvals", { as: grace });
      const { page } = visitor;
      for (const size of cardSizes) {
        await page.setViewportSize(size);
        await page.goto(`${app.base}/approvals/calls/${id}`);
        const texts = await readCard(page, title);
        expect(texts).toEqual(expect.arrayContaining(["Payments", "Approve", "Deny"]));
        expect(readValue(texts, "path")).toBe("/orders/2");
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(
          size.width,
        );
      }
      expect(visitor.faults).toEqual([]);
    },
  );

  test("The page names no person to another user, and its own caller may not decide", async () => {
    const { pending_id: id } = await call("/orders/3");
    const stranger = await app.addUser("eve@example.com", { tags: ["shop"] });
    await using forwarded = await app.open(`/approvals/calls/${id}`, { as: stranger });
    await forwarded.page.getByText("This call waits for another user").waitFor();
    const content = await forwarded.page.locator("main").innerText();
    expect(content).not.toContain("@");
    expect(await forwarded.page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await using own = await app.open(`/approvals/calls/${id}`, { as: ben });
    await own.page.getByText("You may not decide this").waitFor();
    await own.page.getByText("Another approver must decide").waitFor();
    expect(await own.page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(own.faults).toEqual([]);
  });

  nightlyTest(
    "A permission for an hour is given with an approval, and its user ends it",
    async () => {
      const { pending_id: id } = await call("/orders/4");
      await using visitor = await app.open(`/approvals/calls/${id}`, { as: grace });
      const { page } = visitor;
      await page.getByRole("checkbox", { name: "Approve further calls for an hour" }).check();
      await page.locator("[data-settled]").waitFor({ state: "attached" });
      await page.getByRole("button", { name: "Approve" }).first().click();
      await waitFor(async () => !("code" in (await call("/orders/5"))));
      await using own = await app.open("/approvals?tab=permits", { as: ben });
      await own.page.getByRole("button", { name: /^End the permission/ }).click();
      await own.page.getByText("No calls are permitted for an hour").waitFor();
      expect(await call("/orders/6")).toMatchObject({ code: "approval_required" });
      await checkPages(own, [
        "/approvals?who=all",
        "/approvals?tab=permits",
        `/approvals/calls/${id}`,
      ]);
    },
  );

  nightlyTest("An approver names a deputy, who then decides", async () => {
    const { pending_id: id } = await call("/orders/7");
    const deputy = await app.addUser("dan@example.com");
    await using visitor = await app.open(`/approvals/calls/${id}`, { as: grace });
    const { page } = visitor;
    await page.getByLabel("E-mail of the deputy").fill("dan@example.com");
    await page.getByRole("button", { name: "Name", exact: true }).click();
    await page.getByText("may decide this call, too.").waitFor();
    await checkAccessibility(visitor);
    await using other = await app.open(`/approvals/calls/${id}`, { as: deputy });
    await other.page.locator("[data-settled]").waitFor({ state: "attached" });
    await other.page.getByRole("button", { name: "Deny" }).first().click();
    await other.page.getByText("You have denied it").waitFor();
    expect(await call("/orders/7")).toMatchObject({ code: "refused_by_rule" });
  });
});
