import { InvalidInputError, type JsonSchema, wick } from "@hub/connector";
import { isOfSlack, readSlackConfig } from "../slack-config.ts";
import { SlackFailure } from "../slack-failure.ts";
import { callResponseUrl } from "./call-response-url.ts";
import { callMethod, orNothing, pickText, type SlackCallContext } from "./call-slack.ts";
import { type MessageParams, messageFields, toContent } from "./message-fields.ts";

/** Slack cuts longer texts of new messages, and refuses those of changed ones. */
const sentCharsMax = 40_000;
const updatedCharsMax = 4_000;

const timestamp = /^\d{1,12}\.\d{1,6}$/;

export const channelField = wick(
  "required;desc=Id of the channel (C…, G…), of the direct message (D…) or of a user (U…), such as channel_id of the event.",
);
const threadField = wick(
  "desc=ts of the message whose thread to answer in, such as thread_ts of the event. Without it, the message stands by itself.",
);

export const sentSchema: JsonSchema = {
  type: "object",
  properties: {
    ok: { const: true },
    channel_id: { type: ["string", "null"] },
    ts: { type: ["string", "null"], description: "The id of the message." },
    thread_ts: { type: ["string", "null"], description: "The thread to answer in." },
  },
  required: ["ok", "channel_id", "ts", "thread_ts"],
};

export const sendFields = {
  ChannelID: channelField,
  ...messageFields,
  ThreadTs: threadField,
  Broadcast: wick.bool("default=false;desc=Show the answer in a thread in the channel, too."),
  Unfurl: wick.bool("default=false;desc=Show previews of the links in the text."),
};

export const replyFields = {
  ChannelID: channelField,
  ThreadTs: wick(
    "required;desc=ts of the message whose thread to answer in, such as thread_ts of the event.",
  ),
  ...messageFields,
  Broadcast: wick.bool("default=false;desc=Show the answer in the channel, too."),
};

type SendParams = MessageParams & {
  ChannelID: string;
  ThreadTs?: string | undefined;
  Broadcast?: boolean | undefined;
  Unfurl?: boolean | undefined;
};

/** Sends a message, by itself or in a thread. */
export async function sendMessage(ctx: SlackCallContext, params: SendParams) {
  const thread = readTimestamp("thread_ts", params.ThreadTs);
  const answer = await callMethod(ctx, "chat.postMessage", {
    channel: params.ChannelID.trim(),
    ...toContent(params, { charsMax: sentCharsMax }),
    ...orNothing("thread_ts", thread),
    ...(params.Broadcast === true && thread !== undefined && { reply_broadcast: true }),
    unfurl_links: params.Unfurl === true,
    unfurl_media: params.Unfurl === true,
  });
  const ts = pickText(answer.ts);
  return { ok: true, channel_id: pickText(answer.channel), ts, thread_ts: thread ?? ts };
}

export const updateFields = {
  ChannelID: channelField,
  Ts: wick("required;desc=ts of the message, as send_message returned it."),
  ...messageFields,
};

export async function updateMessage(
  ctx: SlackCallContext,
  params: MessageParams & { ChannelID: string; Ts: string },
) {
  const { mrkdwn, ...content } = toContent(params, { charsMax: updatedCharsMax });
  const answer = await callMethod(ctx, "chat.update", {
    channel: params.ChannelID.trim(),
    ts: readTimestamp("ts", params.Ts),
    ...content,
  });
  const ts = pickText(answer.ts);
  return { ok: true, channel_id: pickText(answer.channel), ts, thread_ts: ts };
}

export const reactionFields = {
  ChannelID: channelField,
  Ts: wick("required;desc=ts of the message."),
  Name: wick("required;desc=Name of the emoji, such as white_check_mark. Colons are left out."),
};

/** A reaction that is already there is as good as a new one. */
export async function addReaction(
  ctx: SlackCallContext,
  params: { ChannelID: string; Ts: string; Name: string },
) {
  const name = params.Name.trim().replace(/^:|:$/g, "");
  try {
    await callMethod(ctx, "reactions.add", {
      channel: params.ChannelID.trim(),
      timestamp: readTimestamp("ts", params.Ts),
      name,
    });
  } catch (thrown) {
    if (!isCode(thrown, "already_reacted")) throw thrown;
  }
  return { ok: true, channel_id: params.ChannelID, ts: params.Ts, name };
}

export const respondFields = {
  ResponseURL: wick("required;desc=response_url of the event: five times within 30 minutes."),
  ...messageFields,
  Visibility: wick(
    "dropdown=ephemeral|in_channel;default=ephemeral;desc=ephemeral: only the user sees it. in_channel: everybody in the channel.",
  ),
  ReplaceOriginal: wick.bool(
    "default=false;desc=Replace the message whose button was used, instead of adding one.",
  ),
  DeleteOriginal: wick.bool("default=false;desc=Delete the message whose button was used."),
};

type RespondParams = MessageParams & {
  ResponseURL: string;
  Visibility?: "ephemeral" | "in_channel" | undefined;
  ReplaceOriginal?: boolean | undefined;
  DeleteOriginal?: boolean | undefined;
};

/** Answers a command, a button or a shortcut at the address that came with it. */
export async function respond(ctx: SlackCallContext, params: RespondParams) {
  const url = params.ResponseURL.trim();
  // The address may come from the data of another event. Only Slack gets the answer.
  if (!isOfSlack(url, readSlackConfig(ctx.config))) {
    throw new InvalidInputError("response_url", "must be the response_url of an event of Slack");
  }
  const isDeletion = params.DeleteOriginal === true;
  const body = isDeletion
    ? { delete_original: true }
    : {
        ...toContent(params, { charsMax: sentCharsMax }),
        response_type: params.Visibility ?? "ephemeral",
        replace_original: params.ReplaceOriginal === true,
      };
  await callResponseUrl(ctx, url, body);
  return { ok: true };
}

function readTimestamp(path: string, value: string | undefined): string | undefined {
  const text = value?.trim() ?? "";
  if (text === "") return undefined;
  if (!timestamp.test(text)) {
    throw new InvalidInputError(path, "must be the ts of a message, such as 1515449522.000016");
  }
  return text;
}

function isCode(thrown: unknown, code: string): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof SlackFailure && cause.details.error === code;
}
