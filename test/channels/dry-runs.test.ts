/** Protects: a dry run lists what the nodes of channels would send, and neither platform is called. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ConnectorDefinition } from "@hub/connector";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { slackConnector } from "@hub/server/channels/slack/slack-connector.ts";
import { telegramConnector } from "@hub/server/channels/telegram/telegram-connector.ts";
import { findCaller } from "@hub/server/identity/find-caller.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";
import { listSteps } from "@hub/server/store/workflow-runs/workflow-steps.ts";
import { type StartInput, startRun } from "@hub/server/workflows/runs/start/start-run.ts";
import { type ChannelHub, openChannelHub } from "../support/channel-hub.ts";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import {
  startTelegram,
  type TelegramEmulator,
} from "../support/telegram-emulator/start-telegram.ts";
import { toRow } from "./slack-channel.ts";

let slack: SlackEmulator;
let telegram: TelegramEmulator;
let flows: ChannelHub;
let ann: Awaited<ReturnType<ChannelHub["addOwner"]>>;

beforeAll(async () => {
  slack = startSlackEmulator();
  telegram = startTelegram();
  flows = await openChannelHub();
  ann = await flows.addOwner("ann", ["ops"]);
  await flows.admin.rows.add({
    connector: "slack",
    label: "Work",
    tags: ["ops"],
    values: toRow(slack),
  });
  await slack.connected();
  const bot = telegram.addBot();
  await flows.admin.rows.add({
    connector: "telegram",
    label: "Bot",
    tags: ["ops"],
    values: { token: bot.token, base_url: telegram.url },
  });
  await telegram.until(() => bot.isPolling);
});
afterAll(async () => {
  await flows[Symbol.asyncDispose]();
  await slack[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
});

/** Calls that the connection of a channel makes by itself. */
const ofConnections = /^(apps\.connections\.open|auth\.test|getUpdates|getMe|.*Webhook.*)$/;

function listCalls(): string[] {
  const methods = [...slack.calls, ...telegram.calls].map(({ method }) => String(method));
  return methods.filter((method) => !ofConnections.test(method));
}

/** A node for each action of a connector, with the params of its example. */
function toNodes(channel: string, { operations }: Pick<ConnectorDefinition, "operations">) {
  return [...operations.values()].map(({ key: op, examples }) => ({
    id: `${channel}_${op}`,
    type: "channel" as const,
    channel,
    op,
    args: { ...examples[0]?.params },
  }));
}

async function start(body: WorkflowBodyInput, given: StartInput) {
  const { services } = flows.hub;
  const user = await findUserByEmail(services.store.db, "ann@example.com");
  const caller = await findCaller({ reads: services.store.reads }, user?.id ?? "");
  if (caller === null) throw new Error("There is no owner");
  const { id } = await ann.create({ name: "Tell", body });
  const run = await startRun(services, caller, id, { isDraft: true, waitMs: 20_000, ...given });
  return { ...run, steps: await listSteps(services.store.db, run.run_id) };
}

test("Each action of both platforms is recorded with its rendered arguments, and nothing is sent", async () => {
  const actions = [...toNodes("work", slackConnector), ...toNodes("bot", telegramConnector)];
  expect(actions).toHaveLength(13);
  const each = {
    id: "each",
    type: "channel" as const,
    channel: "work",
    op: "send_message",
    for_each: "{{.Event.Payload.channels}}",
    args: { channel_id: "{{.Item}}", text: "Item {{.Index}} of {{.Event.Payload.name}}" },
  };
  const nodes = [...actions, each];
  const body: WorkflowBodyInput = {
    triggers: [{ id: "start", type: "manual", entry: "begin" }],
    nodes: [{ id: "begin", type: "set", value: 1 }, ...nodes],
    edges: nodes.map(({ id }) => ({ from: "begin", to: id })),
  };
  const before = listCalls();
  const payload = { channels: ["C1", "C2"], name: "web" };
  const run = await start(body, { dryRun: { dry_run: true }, payload });
  expect(listCalls()).toEqual(before);
  expect([slack.workspace.faults, telegram.faults]).toEqual([[], []]);
  const recorded = run.steps.filter(({ flags }) => flags?.includes("would_call"));
  const read = (input: string | null) => JSON.parse(input ?? "null");
  for (const { id, channel, op, args } of actions) {
    const step = recorded.find(({ nodeId }) => nodeId === id);
    const input = read(step?.input ?? null);
    expect([id, input, step?.error]).toEqual([id, { channel, op, args }, null]);
  }
  const items = recorded.filter(({ nodeId, item }) => nodeId === "each" && item >= 0);
  expect(items.map(({ input }) => read(input).args)).toEqual([
    { channel_id: "C1", text: "Item 0 of web" },
    { channel_id: "C2", text: "Item 1 of web" },
  ]);
});

test("A dry run checks the arguments of a channel node as the call does", async () => {
  const tell = (args: Record<string, unknown>): WorkflowBodyInput => ({
    triggers: [{ id: "start", type: "manual", entry: "tell" }],
    nodes: [{ id: "tell", type: "channel", channel: "bot", op: "send_message", args }],
  });
  const before = listCalls();
  const given = { dryRun: { dry_run: true } };
  const wrong = await start(tell({ channel_id: "5", txt: "x" }), given);
  expect(wrong).toMatchObject({
    state: "failed",
    error: expect.stringContaining('Did you mean "text"?'),
  });
  const hidden = tell({ channel_id: "5", text: "x" });
  for (const node of hidden.nodes ?? []) Object.assign(node, { channel: "absent" });
  expect(await start(hidden, given)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("sees no channel"),
  });
  expect(listCalls()).toEqual(before);
});

test("The same node sends in a real run", async () => {
  const ada = slack.workspace.addUser("ada");
  const ops = slack.workspace.addChannel("ops", { members: [ada] });
  const run = await start(
    {
      triggers: [{ id: "start", type: "manual", entry: "tell" }],
      nodes: [
        {
          id: "tell",
          type: "channel",
          channel: "work",
          op: "send_message",
          args: { channel_id: ops.id, text: "Done" },
        },
      ],
    },
    {},
  );
  expect([run.state, ops.messages.map(({ text }) => text)]).toEqual(["succeeded", ["Done"]]);
  expect(listCalls()).toEqual(["chat.postMessage"]);
});
