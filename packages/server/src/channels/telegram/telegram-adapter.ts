import type { ChatAdapter, OpenChannel } from "../chat-adapter.ts";
import { readAccount } from "./bot-account.ts";
import { commandEvent } from "./events/command.ts";
import { messageEvent } from "./events/telegram-message.ts";
import { messageCharsMax } from "./format/split-text.ts";
import { pollUpdates } from "./poll-updates.ts";
import { telegramApprovals } from "./telegram-approvals.ts";
import { openTelegram } from "./telegram-client.ts";
import type { TelegramConfig } from "./telegram-config-fields.ts";
import { toHoldError } from "./to-hold-error.ts";
import { holdWebhook, readWebhookRequest } from "./webhook.ts";

/** Telegram's Bot API, by long polling or a webhook. */
export const telegramAdapter: ChatAdapter = {
  kind: "telegram",
  events: [messageEvent, commandEvent],
  acceptsRequests: ({ Mode }) => Mode === "webhook",
  async hold(channel, session) {
    const { signal } = session;
    const typed = withConfig(channel);
    try {
      const client = await openChannel(typed, signal);
      const account = await readAccount(client);
      const receive = typed.config.Mode === "webhook" ? holdWebhook : pollUpdates;
      await receive(client, typed, session, account);
    } catch (thrown) {
      if (!signal.aborted) throw toHoldError(thrown);
    }
  },
  async readRequest(channel, request) {
    return readWebhookRequest(channel, request);
  },
  async sendText(channel, { channelId, text }) {
    const client = await openChannel(withConfig(channel));
    await client.call((api) => api.sendMessage(channelId, text.slice(0, messageCharsMax)));
  },
  approvals: telegramApprovals,
};

type TypedChannel = OpenChannel & { config: TelegramConfig };

function withConfig(channel: OpenChannel): TypedChannel {
  // Safe: the host has checked the values by the connector's fields.
  return channel as TypedChannel;
}

function openChannel({ config, fetch }: TypedChannel, signal?: AbortSignal) {
  const { Token: token, BaseURL: baseUrl } = config;
  return openTelegram({ token, baseUrl, fetch, ...(signal !== undefined && { signal }) });
}
