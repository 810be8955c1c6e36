import { OutboundError } from "@hub/connector";
import { approvalButtons, questionName } from "../approvals/approval-buttons.ts";
import {
  type ApprovalCard,
  type CardPart,
  type ChatApprovals,
  ChatRetryLater,
  ChatUndeliverable,
  type OpenChannel,
} from "../chat-adapter.ts";
import { escapeText } from "./format-text.ts";
import { callResponseUrl } from "./operations/call-response-url.ts";
import { pickText } from "./operations/call-slack.ts";
import { createSlackApi } from "./slack-api.ts";
import { isOfSlack, readSlackConfig } from "./slack-config.ts";
import { SlackFailure, toAdvice } from "./slack-failure.ts";

/** Questions for approvals as direct messages with Block Kit. */
export const slackApprovals: ChatApprovals = {
  async ask(channel, userId, card) {
    // Slack opens the direct messages with the user.
    const answer = await call(channel, "chat.postMessage", {
      channel: userId,
      ...toContent(card),
      unfurl_links: false,
      unfurl_media: false,
    });
    const [channelId, ts] = [pickText(answer.channel), pickText(answer.ts)];
    if (channelId === null || ts === null) throw new Error("Slack did not name the message.");
    return { channelId, ts };
  },
  async end(channel, { channelId, ts }, card) {
    try {
      await call(channel, "chat.update", { channel: channelId, ts, ...toContent(card) });
    } catch (thrown) {
      const error = thrown instanceof SlackFailure ? thrown.details.error : "";
      if (!goneErrors.has(error)) throw thrown;
    }
  },
  async answerClick({ config, fetch }, { answerTo }, refusal) {
    // The message itself says what was decided.
    if (refusal === null || answerTo === null || !isOfSlack(answerTo, readSlackConfig(config)))
      return;
    const text = escapeText(refusal);
    const body = { text, response_type: "ephemeral", replace_original: false };
    await callResponseUrl(
      { config, fetch, signal: AbortSignal.timeout(answerMsMax) },
      answerTo,
      body,
    );
  },
};

const answerMsMax = 20_000;

/** There is nothing left to change. */
const goneErrors = new Set(["message_not_found", "channel_not_found", "is_archived"]);

/** The user cannot get messages of the bot. */
const undeliverable = new Set([
  "user_not_found",
  "user_disabled",
  "cannot_dm_bot",
  "channel_not_found",
  "messages_tab_disabled",
  "restricted_action",
]);

async function call({ config, fetch }: OpenChannel, method: string, args: Record<string, unknown>) {
  try {
    return await createSlackApi({ settings: readSlackConfig(config), fetch }).call(method, args);
  } catch (thrown) {
    if (thrown instanceof OutboundError || !(thrown instanceof SlackFailure)) throw thrown;
    const { details, message } = thrown;
    if (details.retryAfterMs !== undefined) throw new ChatRetryLater(message, details.retryAfterMs);
    const text = `${message}. ${toAdvice(details)}`.trim();
    if (method === "chat.postMessage" && undeliverable.has(details.error)) {
      throw new ChatUndeliverable(text);
    }
    throw thrown;
  }
}

/** Only texts that Slack does not parse, so that nothing in them is a mention or a link with another name. */
function toContent({ heading, parts, isOpen, summary, id, url }: ApprovalCard) {
  const buttons = approvalButtons.map(({ decision, label, name }) => ({
    type: "button",
    action_id: name,
    value: id,
    text: toPlain(label),
    style: decision === "approved" ? "primary" : "danger",
  }));
  const blocks = [
    { type: "header", block_id: questionName, text: toPlain(heading) },
    ...parts.map(toBlock),
    ...(isOpen ? [{ type: "actions", elements: buttons }] : []),
    ...(url === null
      ? []
      : [{ type: "context", elements: [{ type: "mrkdwn", text: `<${url}|Open in the hub>` }] }]),
  ];
  return { text: escapeText(summary), blocks };
}

const toPlain = (text: string) => ({ type: "plain_text", text, emoji: false });

function toBlock(part: CardPart) {
  switch (part.kind) {
    case "facts":
      return toRichText(
        toSection(
          ...part.facts.flatMap(([name, value], at) => [
            toBold(`${at === 0 ? "" : "\n"}${name}: `),
            toText(value),
          ]),
        ),
      );
    case "quote":
      return toRichText(toSection(toBold(`${part.name}:`)), {
        type: "rich_text_quote",
        elements: [toText(part.text)],
      });
    case "note":
      return toRichText(toSection(toText(part.text)));
  }
}

const toText = (text: string) => ({ type: "text", text });
const toBold = (text: string) => ({ type: "text", text, style: { bold: true } });
const toSection = (...elements: object[]) => ({ type: "rich_text_section", elements });
const toRichText = (...elements: object[]) => ({ type: "rich_text", elements });
