/** Protects: channels on two servers have one connection each, and each event starts its run once. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { SQL } from "bun";
import { openSession } from "../../packages/server/src/identity/testing/open-test-session.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { openPostgresStore } from "../../packages/server/src/store/postgres/open-postgres.ts";
import { onEvent } from "../support/channel-hub.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { startSlackEmulator } from "../support/slack-emulator/slack-emulator.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { startTelegram } from "../support/telegram-emulator/start-telegram.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";
import { type DatabaseProxy, startDatabaseProxy } from "./support/database-proxy.ts";

setDefaultTimeout(180_000);

const encKey = "5a".repeat(32);
const owned = new AsyncDisposableStack();
let databaseUrl: string;
let db: SQL;
/** Between each server and the database. */
const networks = new Map<RunningHub, DatabaseProxy>();
let one: RunningHub;
let two: RunningHub;
let flows: WorkflowHub;

beforeAll(async () => {
  const postgres = owned.use(await startPostgres());
  databaseUrl = await postgres.createDatabase();
  db = owned.adopt(new SQL({ url: databaseUrl, max: 1 }), (sql) => sql.close());
  const start = async () => {
    const network = owned.use(await startDatabaseProxy(databaseUrl));
    const env = { HUB_ENC_KEY: encKey, HUB_DATABASE_URL: network.url };
    const hub = owned.use(await startHub({ env }));
    networks.set(hub, network);
    return hub;
  };
  one = await start();
  two = await start();
  flows = await openWorkflowHub(one);
});
afterAll(() => owned.disposeAsync());

/** A workspace and a bot, with a person who writes to both. */
function openPlatforms() {
  const resources = new AsyncDisposableStack();
  const slack = resources.use(startSlackEmulator());
  const telegram = resources.use(startTelegram({ plainWebhooks: true, webhookRetryMs: 1 }));
  const user = slack.workspace.addUser("ada");
  const channel = slack.workspace.addChannel("ops", { members: [user] });
  const bot = telegram.addBot();
  const ada = telegram.addUser({ first_name: "Ada" });
  const chat = telegram.privateChat(bot, ada);
  return {
    slack,
    telegram,
    bot,
    post: (text: string) => slack.post({ channel, user, text }),
    say: (text: string) => telegram.say({ from: ada, in: chat, text }),
    async addRows(labels: [string, string], modes: { slack?: string; telegram?: string } = {}) {
      const { botToken, appToken, signingSecret } = slack.workspace;
      const tokens = { bot_token: botToken, app_token: appToken, signing_secret: signingSecret };
      const values = [
        { base_url: slack.apiUrl, mode: modes.slack ?? "socket", ...tokens },
        { base_url: telegram.url, mode: modes.telegram ?? "polling", token: bot.token },
      ];
      const ids: string[] = [];
      for (const [at, connector] of ["slack", "telegram"].entries()) {
        const row = { connector, label: labels[at], tags: ["everyone"], values: values[at] };
        const { status, body } = await flows.api("POST", "/manager/api/rows", row);
        expect([status, body]).toEqual([201, body]);
        ids.push(String(body.id));
      }
      return ids;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The texts of the runs of a workflow that have succeeded. */
async function readTexts(workflowId: string): Promise<string[]> {
  const rows: { event: string }[] = await db.unsafe(
    "select event from workflow_runs where workflow_id = $1 and state = 'succeeded'",
    [workflowId],
  );
  return rows.map(({ event }) => String(JSON.parse(event).Payload.text));
}

async function expectOnce(workflowId: string, texts: readonly string[]): Promise<void> {
  await waitFor(async () => new Set(await readTexts(workflowId)).size >= texts.length);
  const [{ count }] = await db.unsafe(
    "select count(*)::int as count from workflow_runs where workflow_id = $1",
    [workflowId],
  );
  expect((await readTexts(workflowId)).toSorted()).toEqual(texts.toSorted());
  expect(count).toBe(texts.length);
}

test("Requests and doubled deliveries on both servers start one run each, and a link and a slug hold on the other one", async () => {
  await using platforms = openPlatforms();
  const { slack, telegram, bot } = platforms;
  const [row = ""] = await platforms.addRows(["Web", "Hook"], {
    slack: "http",
    telegram: "webhook",
  });
  const workflows = [
    await flows.publish(onEvent("web")),
    await flows.publish(onEvent("hook"), { name: "Bot" }),
  ];
  await telegram.until(() => bot.webhook !== null);
  for (const { url: base } of [one, two]) await slack.useHttp(`${base}/channels/web/events`);
  const secret = { "x-telegram-bot-api-secret-token": bot.webhook?.secretToken ?? "" };
  const sendBoth = (slug: string, init: RequestInit) =>
    Promise.all(
      [one, two].map(async (hub) => {
        const events = `${hub.url}/channels/${slug}/events`;
        return (await fetch(events, { method: "POST", ...init })).status;
      }),
    );

  const texts = Array.from({ length: 10 }, (_, at) => `both ${at}`);
  slack.hold();
  const statuses = texts.flatMap((text) => {
    const [delivery] = platforms.post(text).deliveries;
    if (!delivery) throw new Error("Nothing is delivered.");
    platforms.say(text);
    const update = JSON.stringify(bot.pending.at(-1));
    return [
      sendBoth("web", slack.toRequest(delivery)),
      sendBoth("hook", { headers: secret, body: update }),
    ];
  });
  slack.release();
  expect((await Promise.all(statuses)).flat().every((status) => status === 200)).toBe(true);
  await telegram.until(() => !bot.hasUpdates);
  for (const id of workflows) await expectOnce(id, texts);

  const ann = await one.addUser("ann@example.com");
  const store = await openPostgresStore({ url: databaseUrl, connectionsMax: 2 });
  const [{ id: userId }] = await db.unsafe("select id from users where email = $1", [ann.email]);
  const { token } = await openSession(store, { userId });
  await store.close();
  const browse = async (base: string, method: string, path: string, csrf = "") => {
    const headers = { Cookie: `hub_session=${token}`, "X-CSRF-Token": csrf };
    const answer = await fetch(`${base}/profile/api/${path}`, { method, headers });
    return Object(await answer.json());
  };
  const { csrf_token: csrf } = await browse(one.url, "GET", "me");
  const link = await browse(one.url, "POST", "chat-accounts/links", csrf);
  platforms.say(link.code);
  platforms.say("yes");
  await waitFor(
    async () => (await browse(two.url, "GET", "chat-accounts")).link.confirmed_in_chat === true,
  );
  const confirm = `chat-accounts/links/${link.id}/confirm`;
  expect(await browse(two.url, "POST", confirm, csrf)).toMatchObject({ kind: "telegram" });
  const { accounts } = await browse(one.url, "GET", "chat-accounts");
  expect(accounts).toHaveLength(1);

  const changed = await flows.api("PUT", `/manager/api/rows/${row}/slug`, { slug: "renamed" });
  expect(changed.status).toBe(200);
  const others = await openWorkflowHub(two);
  const renamed = await others.publish(onEvent("renamed"), { name: "Renamed" });
  slack.hold();
  const [delivery] = platforms.post("by another name").deliveries;
  if (!delivery) throw new Error("Nothing is delivered.");
  const send = async (slug: string) =>
    (
      await fetch(`${two.url}/channels/${slug}/events`, {
        method: "POST",
        ...slack.toRequest(delivery),
      })
    ).status;
  expect(await send("web")).toBe(404);
  expect(await send("renamed")).toBe(200);
  await expectOnce(renamed, ["by another name"]);
  for (const id of workflows) await expectOnce(id, texts);
  expect(slack.workspace.faults).toEqual([]);
  expect(telegram.faults).toEqual([]);
});

nightlyTest(
  "One server holds each connection, and the other goes on when it loses its database or is killed",
  async () => {
    await using platforms = openPlatforms();
    const { slack, telegram, bot } = platforms;
    const rows = await platforms.addRows(["Work", "Bot"]);
    const workflows = [
      await flows.publish(onEvent("work")),
      await flows.publish(onEvent("bot"), { name: "Bot" }),
    ];
    await slack.connected();
    await telegram.until(() => bot.isPolling);
    const texts: string[] = [];
    const send = (name: string) => {
      for (let at = 0; at < 10; at += 1) {
        texts.push(`${name} ${at}`);
        platforms.post(`${name} ${at}`);
        platforms.say(`${name} ${at}`);
      }
    };
    const expectAll = () => Promise.all(workflows.map((id) => expectOnce(id, texts)));
    const readId = async ({ pid }: RunningHub) =>
      (await db.unsafe("select id from instances where pid = $1", [pid]))[0].id;
    const countHeld = async (condition: string, ...values: string[]) => {
      const isHeld = "state = 'connected' and row_id in ($1, $2)";
      const text = `select 1 from channel_states where ${isHeld} and ${condition}`;
      return (await db.unsafe(text, [...rows, ...values])).length;
    };
    const isHolder = async (hub: RunningHub) =>
      (await countHeld("row_id = $1 and holder = $3", await readId(hub))) === 1;
    /** Waits until one server, which is not this one, holds both, and the former connection is closed. */
    const waitForOther = async (hub: RunningHub) => {
      const id = await readId(hub);
      const isOther = async () => (await countHeld("holder <> $3", id)) === 2;
      await waitFor(async () => (await isOther()) && slack.connections() === 1);
    };

    send("both servers");
    await expectAll();
    expect(slack.connections()).toBe(1);

    await waitFor(async () => (await countHeld("true")) === 2);
    const [holder, other] = (await isHolder(one)) ? [one, two] : [two, one];
    const network = networks.get(holder);
    network?.cut();
    send("no database");
    await waitForOther(holder);
    // Slack sends what was not acknowledged again.
    slack.workspace.clock.advance(4_000);
    await expectAll();

    network?.restore();
    await waitFor(async () => (await fetch(`${holder.url}/health`)).ok);
    send("killed");
    await waitFor(async () => (await readTexts(workflows[0] ?? "")).includes("killed 0"));
    await other.kill();
    slack.drop();
    await waitForOther(other);
    slack.workspace.clock.advance(4_000);
    await expectAll();
    expect(slack.workspace.faults).toEqual([]);
    expect(telegram.faults).toEqual([]);
  },
);
