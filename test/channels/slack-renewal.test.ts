/** Protects: nothing that Slack sends is lost while it renews a connection, and no connection stays open. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { ChatRefusal } from "../../packages/server/src/channels/chat-adapter.ts";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import type { SlackChannel, SlackUser } from "../support/slack-emulator/workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { type HeldSlack, holdSlack } from "./slack-channel.ts";

let slack: SlackEmulator;
let ada: SlackUser;
let ops: SlackChannel;
let owned: AsyncDisposableStack;

beforeEach(() => {
  owned = new AsyncDisposableStack();
  slack = owned.use(startSlackEmulator());
  ada = slack.workspace.addUser("ada");
  ops = slack.workspace.addChannel("ops", { members: [ada] });
});

afterEach(async () => {
  await owned.disposeAsync();
  expect(slack.workspace.faults).toEqual([]);
});

/** A connection that has lasted for an hour. */
async function connect(): Promise<HeldSlack> {
  const held = owned.use(holdSlack(slack));
  await waitFor(() => held.accounts.length > 0);
  slack.workspace.clock.advance(3_600_000);
  return held;
}

/** Slack sends a command once, so that one that is lost stays lost. */
const command = () => slack.command({ channel: ops, user: ada, command: "/deploy" });

/** Waits of this length end at once, until it is disposed of. */
function skipWaits(lengthMs: number): Disposable {
  const { setTimeout: start } = globalThis;
  const skip = (action: () => void, delayMs?: number) =>
    start(action, delayMs === lengthMs ? 0 : delayMs);
  // A mock that is restored starts no timers, and a module that is loaded meanwhile keeps it.
  globalThis.setTimeout = Object.assign(skip, start);
  return {
    [Symbol.dispose]() {
      globalThis.setTimeout = start;
    },
  };
}

const openings = () => slack.callsOf("apps.connections.open").length;

test("What arrived before a renewal is acknowledged on its own connection, which Slack closes", async () => {
  const held = await connect();
  const { promise: isStored, resolve: store } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  held.onReceive(() => {
    begin();
    return isStored;
  });
  const { outcome } = command();
  await hasBegun;
  slack.disconnect("warning");
  await waitFor(() => held.accounts.length === 2);
  expect(slack.connections()).toBe(2);
  store();
  expect(await outcome).toMatchObject({ state: "acknowledged" });
  slack.workspace.clock.advance(10_000);
  await waitFor(() => slack.connections() === 1);
  expect(await command().outcome).toMatchObject({ state: "acknowledged" });
  expect(held.reconnections).toEqual([]);
});

test("What Slack sends during a renewal is received on both connections", async () => {
  const held = await connect();
  const answer = slack.holdCalls("apps.connections.open");
  slack.disconnect("refresh_requested");
  expect(await command().outcome).toMatchObject({ state: "acknowledged" });
  answer();
  await waitFor(() => held.accounts.length === 2);
  const sent = Array.from({ length: 6 }, command);
  const outcomes = await Promise.all(sent.map(({ outcome }) => outcome));
  expect(outcomes.map(({ state }) => state)).toEqual(sent.map(() => "acknowledged"));
  expect(held.reconnections).toEqual([]);
});

test("A renewal that fails is tried again while the former connection lives", async () => {
  using _ = skipWaits(1_000);
  const held = await connect();
  slack.breakCalls("apps.connections.open");
  slack.disconnect("warning");
  await waitFor(() => held.accounts.length === 2);
  expect(held.reconnections).toEqual([]);
});

test("A renewal that fails until the former connection ends is left to the hub's back-off", async () => {
  const held = await connect();
  slack.breakCalls("apps.connections.open", { times: 100 });
  slack.disconnect("warning");
  await waitFor(() => held.logs.some((line) => line.includes("not renewed")));
  slack.workspace.clock.advance(10_000);
  const error = await held.ended;
  expect(error).not.toBeInstanceOf(ChatRefusal);
  expect(error?.message).toInclude("503");
});

test("A former connection that ends before the next one is open is shown as a reconnection", async () => {
  const held = await connect();
  const answer = slack.holdCalls("apps.connections.open");
  slack.disconnect("warning");
  await waitFor(() => openings() === 2);
  slack.drop();
  await waitFor(() => held.reconnections.length === 1);
  answer();
  await waitFor(() => held.accounts.length === 2);
  expect(held.reconnections).toHaveLength(1);
});

test("A former connection that Slack does not close is closed", async () => {
  using _ = skipWaits(20_000);
  const held = await connect();
  slack.disconnect("warning");
  await waitFor(() => held.accounts.length === 2 && slack.connections() === 1);
  expect(await command().outcome).toMatchObject({ state: "acknowledged" });
});

test("A connection that Slack renews after less than ten seconds is not replaced at once", async () => {
  const held = owned.use(holdSlack(slack));
  await waitFor(() => held.accounts.length > 0);
  slack.disconnect("refresh_requested");
  expect(await command().outcome).toMatchObject({ state: "acknowledged" });
  slack.workspace.clock.advance(2_000);
  expect(await held.ended).toEqual(new Error("Slack closed the connection."));
  expect(openings()).toBe(1);
});

test("A channel that stops during a renewal closes both connections", async () => {
  const held = await connect();
  slack.disconnect("warning");
  await waitFor(() => held.accounts.length === 2);
  expect(slack.connections()).toBe(2);
  await held.stop();
  expect(await held.ended).toBeUndefined();
  expect(slack.connections()).toBe(0);
});

test("A token that is revoked before a renewal closes both connections", async () => {
  const held = await connect();
  slack.revoke(slack.workspace.botToken);
  slack.disconnect("warning");
  expect(await held.ended).toBeInstanceOf(ChatRefusal);
  expect(slack.connections()).toBe(0);
});

test("A channel that stops while Slack prepares a connection opens none", async () => {
  const answer = slack.holdCalls("apps.connections.open");
  const held = owned.use(holdSlack(slack));
  await waitFor(() => openings() === 1);
  await held.stop();
  answer();
  // Another connection, which takes longer than what the first one had left.
  await connect();
  expect(slack.connections()).toBe(1);
});

test("A channel that stops ends its request for a connection", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: gone, resolve: go } = Promise.withResolvers<void>();
  await using silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch({ url, signal }) {
      if (url.endsWith("/auth.test")) {
        return Response.json({ ok: true, team_id: "T1", user_id: "U1" });
      }
      signal.addEventListener("abort", () => go());
      ask();
      await gone;
      return Response.json({ ok: false, error: "internal_error" });
    },
  });
  const url = `http://127.0.0.1:${silent.port}/api/`;
  const held = owned.use(holdSlack(slack, { base_url: url }, url));
  await asked;
  await held.stop();
  await gone;
});

test("A connection that Slack prepares for too long is not opened later", async () => {
  const answer = slack.holdCalls("apps.connections.open");
  const held = owned.use(holdSlack(slack));
  {
    using _ = skipWaits(30_000);
    expect((await held.ended)?.message).toInclude("did not greet");
  }
  answer();
  await connect();
  expect(slack.connections()).toBe(1);
});

test("A channel that stops when the address of its connection is known opens none", async () => {
  const held = owned.use(holdSlack(slack));
  const { resolve } = held.channel;
  held.channel.resolve = async (url) => {
    void held.stop();
    return await resolve(url);
  };
  expect(await held.ended).toBeUndefined();
  await connect();
  expect(slack.connections()).toBe(1);
});

test("A channel that stops before Slack greets its connection closes it", async () => {
  const greet = slack.holdGreetings();
  const held = owned.use(holdSlack(slack));
  await waitFor(() => slack.connections() === 1);
  await held.stop();
  await waitFor(() => slack.connections() === 0);
  greet();
  expect(held.accounts).toEqual([]);
});
