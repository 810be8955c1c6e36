import { expect } from "bun:test";
import { onEvent } from "./channel-hub.ts";
import { startSlackEmulator } from "./slack-emulator/slack-emulator.ts";
import type { RunningHub } from "./start-hub.ts";
import { startTelegram } from "./telegram-emulator/start-telegram.ts";
import { waitFor } from "./wait-for.ts";
import { openWorkflowHub } from "./workflow-hub.ts";

/** A channel of each platform on a hub whose database fails for a while. */
export type FaultyChannels = AsyncDisposable & {
  /** A person writes a message of this size on both platforms. */
  say(chars: number): void;
  /** Waits until the pages of both channels say why nothing is stored. */
  expectFailure(reason: string): Promise<void>;
  /** Waits until each message has one run that has succeeded, and that the pages show no failure. */
  expectAllDone(): Promise<void>;
};

export async function openFaultyChannels(hub: RunningHub): Promise<FaultyChannels> {
  await using opening = new AsyncDisposableStack();
  const slack = opening.use(startSlackEmulator());
  const telegram = opening.use(startTelegram());
  const user = slack.workspace.addUser("ada");
  const channel = slack.workspace.addChannel("ops", { members: [user] });
  const bot = telegram.addBot();
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  const { api, publish } = await openWorkflowHub(hub);
  const { botToken, appToken, signingSecret } = slack.workspace;
  const tokens = { bot_token: botToken, app_token: appToken, signing_secret: signingSecret };
  const added = [
    { connector: "slack", label: "Work", values: { base_url: slack.apiUrl, ...tokens } },
    { connector: "telegram", label: "Bot", values: { base_url: telegram.url, token: bot.token } },
  ].map(async (row) => {
    const { status, body } = await api("POST", "/manager/api/rows", row);
    expect(status).toBe(201);
    return String(body.id);
  });
  const rows = await Promise.all(added);
  const workflows = [await publish(onEvent("work")), await publish(onEvent("bot"))];
  await slack.connected();
  await telegram.until(() => bot.isPolling);
  const texts: string[] = [];
  const readFailures = async () => {
    const shown = rows.map((id) => api("GET", `/manager/api/rows/${id}/channel`));
    return (await Promise.all(shown)).map(({ body }) => body.storing_failure);
  };
  const readRuns = async (id: string) => {
    const { body } = await api("GET", `/manager/api/workflows/${id}/runs?limit=200`);
    return Array.isArray(body.runs) ? body.runs : [];
  };
  const owned = opening.move();
  return {
    say(chars) {
      const text = `${texts.length} `.padEnd(chars, "x");
      texts.push(text);
      slack.post({ channel, user, text });
      telegram.say({ from: ada, in: chat, text: text.slice(0, 4096) });
    },
    async expectFailure(reason) {
      await waitFor(async () =>
        (await readFailures()).every((failure) => String(failure).includes(reason)),
      );
    },
    async expectAllDone() {
      await slack.connected();
      // Slack sends what was not acknowledged again.
      slack.workspace.clock.advance(4_000);
      await waitFor(() =>
        slack.all.every(({ attempts }) => attempts.some(({ state }) => state === "acknowledged")),
      );
      await telegram.until(() => !bot.hasUpdates);
      for (const id of workflows) {
        const runs = await waitFor(async () => {
          const listed = await readRuns(id);
          return listed.every(({ state }) => state === "succeeded") && listed;
        });
        expect(runs).toHaveLength(texts.length);
      }
      expect(await readFailures()).toEqual([null, null]);
      expect(slack.workspace.faults).toEqual([]);
      expect(telegram.faults).toEqual([]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
