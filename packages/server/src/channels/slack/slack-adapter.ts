import { once } from "node:events";
import type { GuardedFetch } from "@hub/connector";
import {
  type ChatAdapter,
  ChatRefusal,
  type ChatSession,
  type OpenChannel,
} from "../chat-adapter.ts";
import { describeMissing } from "./check-slack-health.ts";
import { slackEvents } from "./events/slack-events.ts";
import { escapeText } from "./format-text.ts";
import { readAccount } from "./read-account.ts";
import { readSlackRequest } from "./read-request.ts";
import { createSlackApi } from "./slack-api.ts";
import { slackApprovals } from "./slack-approvals.ts";
import { readSlackConfig } from "./slack-config.ts";
import { holdSocket, toHoldError } from "./socket.ts";

/** Slack, over Socket Mode or signed requests. */
export const slackAdapter: ChatAdapter = {
  kind: "slack",
  events: slackEvents,
  acceptsRequests: (config) => readSlackConfig(config).mode === "http",
  hold,
  readRequest: readSlackRequest,
  async sendText(channel, { channelId, text }) {
    const api = openApi(channel);
    await api.call("chat.postMessage", {
      channel: channelId,
      text: escapeText(text),
      mrkdwn: false,
      unfurl_links: false,
      unfurl_media: false,
    });
  },
  approvals: slackApprovals,
};

const openApi = ({ config, fetch }: Pick<OpenChannel, "config" | "fetch">) =>
  createSlackApi({ settings: readSlackConfig(config), fetch });

async function hold(channel: OpenChannel, session: ChatSession): Promise<void> {
  const settings = readSlackConfig(channel.config);
  const missing = describeMissing(settings);
  if (missing !== null) throw new ChatRefusal(missing);
  if (settings.mode === "socket") {
    const read = () => readOwnAccount(channel, session.signal);
    return await holdSocket({ channel, session, settings, readOwnAccount: read });
  }
  const account = await readOwnAccount(channel, session.signal);
  if (session.signal.aborted) return;
  session.connected(account);
  await once(session.signal, "abort");
}

async function readOwnAccount({ config, fetch }: OpenChannel, signal: AbortSignal) {
  const ending: GuardedFetch = (input, init = {}) =>
    fetch(input, {
      ...init,
      signal: AbortSignal.any(init.signal ? [init.signal, signal] : [signal]),
    });
  try {
    return (await readAccount(openApi({ config, fetch: ending }))).account;
  } catch (thrown) {
    throw toHoldError(thrown);
  }
}
