/**
 * The pages of channels in a real browser: a chat account is linked and unlinked, and a channel shows its
 * connection. The hub runs in this process, with a chat platform in memory.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ChatRefusal } from "@hub/server/channels/chat-adapter.ts";
import { fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { openSession } from "@hub/server/identity/testing/open-test-session.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { type AppVisitor, checkAccessibility, watchPage } from "./support/app-pages.ts";
import { findChromium, startChromium, type TestBrowser } from "./support/chromium.ts";

setDefaultTimeout(180_000);
const executable = findChromium();
/** A name that a person chooses on the platform. */
const attack = '<img src=x onerror="window.attacked=1">';

describe.skipIf(executable === null)("The pages of channels", () => {
  const owned = new AsyncDisposableStack();
  let flows: ChannelHub;
  let browser: TestBrowser;
  let base: string;
  let row: string;

  beforeAll(async () => {
    flows = owned.use(await openChannelHub());
    base = flows.url.replace("127.0.0.1", "localhost");
    browser = await startChromium(executable ?? "");
    owned.defer(() => browser.close());
    // A channel that takes requests, whose page shows their address.
    row = await flows.addChannel("Team chat", { values: { mode: "http" } });
  });
  afterAll(() => owned.disposeAsync());

  async function open(email: string, path: string, look = {}): Promise<AppVisitor> {
    const { db } = flows.hub.services.store;
    const { id: userId } = await flows.admin.users.show(email);
    const { token: value } = await openSession({ db }, { userId });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...look });
    await context.addCookies([{ name: "hub_session", value, url: base }]);
    const visitor = await watchPage(context, base);
    await visitor.page.goto(`${base}${path}`);
    return visitor;
  }

  const say = (id: string, text: string) =>
    flows.chat.deliver(row, {
      ...fakeMessage(id, { text, is_dm: true, channel_id: "D1" }),
      sender: { teamId: "T1", userId: "U1", userName: attack },
    });

  async function expectNothingRan({ page, faults }: AppVisitor): Promise<void> {
    expect(await page.evaluate("window.attacked ?? null")).toBeNull();
    expect(faults).toEqual([]);
  }

  test("A person links a chat account with a code, confirms on both sides, and unlinks it", async () => {
    await flows.admin.users.add({ email: "grace@example.com" });
    const look = { viewport: { width: 360, height: 900 }, colorScheme: "dark" };
    await using visitor = await open("grace@example.com", "/profile/chat-accounts", look);
    const { page } = visitor;
    await page.getByRole("button", { name: "Make a code" }).click();
    await page.getByText("hubbot").waitFor();
    const code = (await page.locator("li code").textContent()) ?? "";
    await checkAccessibility(visitor);
    await say("c1", code);
    await page.getByText("answer yes to the bot").waitFor();
    expect(await page.getByRole("button", { name: "Link this account" }).count()).toBe(0);
    await say("c2", "yes");
    await page.getByText("counts as said by grace@example.com").waitFor();
    await page.getByText(`${attack} (U1) on Fakechat in Fake (T1)`).waitFor();
    await page.getByRole("button", { name: "Link this account" }).click();
    const table = page.getByRole("table", { name: "Chat accounts" });
    await table.getByText(attack).waitFor();
    await checkAccessibility(visitor);
    await page.getByRole("button", { name: "Unlink" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
    await page.getByText("No chat account is linked to you.").waitFor();
    await expectNothingRan(visitor);
  });

  nightlyTest("The page of a channel shows its connection and changes its slug", async () => {
    await flows.admin.users.add({ email: "root@example.com", role: "admin" });
    const owner = await flows.addOwner("ann");
    const { id } = await owner.create({ name: "Said", body: onEvent("team-chat") });
    await owner.publish(id, 1);
    const nodes = [
      { id: "say", type: "channel", channel: "team-chat", op: "send_message", args: {} } as const,
    ];
    await owner.create({ name: "Sends", body: { schema: 1, triggers: [], nodes, edges: [] } });
    await flows.chat.deliver(row, fakeMessage("p1"));
    flows.hub.services.channelProblems.record(row, "The disk is full.");
    await using visitor = await open("root@example.com", `/manager/connectors/fakechat/${row}`);
    const { page } = visitor;
    await page.getByText("Connected", { exact: true }).waitFor();
    await page.getByText(`/channels/team-chat/events`).waitFor();
    await page.getByText("message, 1 run").waitFor();
    await page.getByText("The disk is full. The platform delivers them again.").waitFor();
    flows.hub.services.channelProblems.end(row);
    await checkAccessibility(visitor);
    await page.getByLabel("Slug").fill("Support");
    await page.getByText("2 workflows name the slug team-chat").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Sends, node say of the draft" }).waitFor();
    await page.setViewportSize({ width: 360, height: 900 });
    await visitor.untilIdle();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(360);
    await page.getByRole("button", { name: "Save slug" }).click();
    await page.getByText("must be lower-case letters").waitFor();
    await page.getByLabel("Slug").fill("support");
    await page.getByRole("button", { name: "Save slug" }).click();
    await page.getByText(`/channels/support/events`).waitFor();
    const left = page.getByRole("alert", { name: "These workflows name the former slug" });
    await left.getByRole("link", { name: "Said" }).waitFor();
    await left.getByText(", node say of the draft").waitFor();
    await page.getByText("No workflow names this channel.").waitFor();
    await checkAccessibility(visitor);
    // The connection is made anew with the new address.
    await waitFor(() => flows.chat.holds.get(row) === 2 && flows.chat.held.has(row));
    flows.chat.fail(row, new ChatRefusal("The token was revoked."));
    await page.getByText("The platform refuses this channel").waitFor();
    await page.getByRole("status").getByText("Failed", { exact: true }).waitFor();
    expect(await page.getByText("Ready", { exact: true }).count()).toBe(0);
    await page.goto(`${base}/`);
    await page.getByText("is not connected: The token was revoked.").waitFor();
    // The refused request for the slug.
    visitor.faults.splice(0, 1);
    await expectNothingRan(visitor);
  });
});
