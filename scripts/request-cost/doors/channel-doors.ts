import { createHmac } from "node:crypto";
import { startSlackEmulator } from "../../../test/support/slack-emulator/slack-emulator.ts";
import { startTelegram } from "../../../test/support/telegram-emulator/start-telegram.ts";
import type { Members } from "../cases/members.ts";
import { listDeliveries, toPrepared } from "../deliveries.ts";
import type { Attack, Door, RequestSpec } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, values, writeJson } from "../shapes.ts";

const eventBytesMax = 1000 * 1024;
/** The longest text that a filter may look for. */
const wanted = `${"a".repeat(199)}b`;

type Sender = (body: string, type?: string) => RequestSpec;

/** The addresses to which chat platforms send events, signed and not, with workflows that filter them. */
export async function openChannelDoors(fixture: CostFixture): Promise<Door[]> {
  return [...(await openSlackDoors(fixture)), ...(await openTelegramDoors(fixture))];
}

async function openSlackDoors(fixture: CostFixture): Promise<Door[]> {
  const slack = fixture.own(startSlackEmulator());
  const ada = slack.workspace.addUser("ada");
  const { id: channel } = slack.workspace.addChannel("ops", { members: [ada] });
  const { id: user } = ada;
  const { botToken, signingSecret, teamId, appId } = slack.workspace;
  await addChannel(fixture, "slack", "Cost signed", {
    base_url: slack.apiUrl,
    bot_token: botToken,
    signing_secret: signingSecret,
    mode: "http",
  });
  await listen(fixture, "cost-signed");
  const toSender =
    (secret: string): Sender =>
    (body, type = "application/json") => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const hmac = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`);
      const headers = {
        "content-type": type,
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": `v0=${hmac.digest("hex")}`,
        ...fixture.asAnotherClient(),
      };
      return { method: "POST", path: "/channels/cost-signed/events", headers, body };
    };
  let events = 0;
  const toEvent = (more: Members): Members => {
    events += 1;
    const ts = `1700000000.${String(events).padStart(6, "0")}`;
    const event = { type: "message", channel, user, ts, event_ts: ts, channel_type: "channel" };
    return {
      type: "event_callback",
      event_id: `Ev${crypto.randomUUID()}`,
      event_time: 1_700_000_000,
      team_id: teamId,
      api_app_id: appId,
      event: { ...event, text: "hello", ...more },
    };
  };
  const form = "application/x-www-form-urlencoded";
  const signed = toSender(signingSecret);
  const door = toChannelDoor(fixture, "events of Slack", signed, toEvent, ["text", "blocks"]);
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    door.attacks[`command: ${shape}`] = {
      kind,
      prepare: (bytes) => {
        const fields = { command: "/x", user_id: user, channel_id: channel, text: make(bytes / 3) };
        return toPrepared(fixture.hub, signed(new URLSearchParams(fields).toString(), form));
      },
    };
    door.attacks[`interaction: ${shape}`] = {
      kind,
      prepare: (bytes) => {
        const payload = JSON.stringify({ type: "block_actions", actions: [make(bytes / 3)] });
        return toPrepared(fixture.hub, signed(new URLSearchParams({ payload }).toString(), form));
      },
    };
  }
  const wrong = toChannelDoor(fixture, "events of Slack, unsigned", toSender("wrong"), toEvent, [
    "text",
  ]);
  return [door, wrong];
}

async function openTelegramDoors(fixture: CostFixture): Promise<Door[]> {
  const telegram = fixture.own(startTelegram({ plainWebhooks: true }));
  const bot = telegram.addBot({ username: "Cost_Bot" });
  const values = { token: bot.token, base_url: telegram.url, mode: "webhook" };
  await addChannel(fixture, "telegram", "Cost updates", values);
  await listen(fixture, "cost-updates");
  await telegram.until(() => bot.webhook !== null);
  const secret = bot.webhook?.secretToken ?? "";
  const toSender =
    (own: string): Sender =>
    (body) => ({
      method: "POST",
      path: "/channels/cost-updates/events",
      body,
      headers: {
        "content-type": "application/json",
        "x-telegram-bot-api-secret-token": own,
        ...fixture.asAnotherClient(),
      },
    });
  let updates = 1_000;
  const toUpdate = (more: Members): Members => {
    updates += 1;
    const from = { id: 7, is_bot: false, first_name: "Ada" };
    const chat = { id: 7, type: "private", first_name: "Ada" };
    const message = {
      message_id: updates,
      date: 1_700_000_000,
      from,
      chat,
      text: "hello",
      ...more,
    };
    return { update_id: updates, message };
  };
  const parts = ["text", "entities", "photo"];
  return [
    toChannelDoor(fixture, "updates of Telegram", toSender(secret), toUpdate, parts),
    toChannelDoor(fixture, "updates of Telegram, unsigned", toSender("x"), toUpdate, ["text"]),
  ];
}

async function addChannel(
  { api }: CostFixture,
  connector: string,
  label: string,
  values: Members,
): Promise<void> {
  const { id } = await api("POST", "/manager/api/rows", { connector, label, values });
  for (let tries = 0; tries < 300; tries += 1) {
    const { state } = Object(await api("GET", `/manager/api/rows/${id}/channel`));
    if (state === "connected") return;
    await Bun.sleep(100);
  }
  console.log(`(the channel ${label} is not connected)`);
}

async function listen({ api }: CostFixture, channel: string): Promise<void> {
  for (const match of [{}, { text_contains: wanted }]) {
    const trigger = { id: "said", type: "channel", entry: "out", channel, event: "message", match };
    const nodes = [{ id: "out", type: "set", value: "{{.Event.Payload.text}}" }];
    const body = { triggers: [trigger], nodes };
    const name = `Cost ${crypto.randomUUID()}`;
    const { id } = await api("POST", "/manager/api/workflows", { name, body });
    await api("POST", `/manager/api/workflows/${id}/publish`, { revision: 1 });
  }
}

function toChannelDoor(
  fixture: CostFixture,
  name: string,
  toRequest: Sender,
  toEvent: (more: Members) => Members,
  parts: readonly string[],
): Door {
  const { hub } = fixture;
  const attacks: Record<string, Attack> = {};
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    attacks[`body: ${shape}`] = { kind, prepare: (n) => toPrepared(hub, toRequest(make(n))) };
    attacks[`text: ${shape}`] = {
      kind,
      prepare: (n) => toPrepared(hub, toRequest(writeJson(toEvent({ text: make(n) })))),
    };
  }
  for (const [shape, { kind, make }] of Object.entries(values)) {
    attacks[`body: ${shape}`] = {
      kind,
      prepare: (n) => toPrepared(hub, toRequest(writeJson(make(n)))),
    };
    for (const part of parts) {
      attacks[`${part}: ${shape}`] = {
        kind,
        prepare: (n) => toPrepared(hub, toRequest(writeJson(toEvent({ [part]: make(n) })))),
      };
    }
  }
  const small = (n: number) => toRequest(writeJson(toEvent({ text: "x".repeat(n) })));
  Object.assign(attacks, listDeliveries(hub, small));
  return { group: "channels", name, bytesMax: eventBytesMax, attacks };
}
