import { type FieldValues, type OperationTools, wick } from "@hub/connector";
import { buttonsField, toKeyboard } from "./buttons.ts";
import { type CallContext, openRow } from "./call-telegram.ts";
import { contentFields, silentField, toChatId, toMessageId, toParts } from "./message-content.ts";
import { type SentMessages, sendParts } from "./send-parts.ts";

const channelField = wick(
  "required;desc=The id of the chat, such as channel_id of an event, or @ and the public name of a group or channel.",
);

export const sendMessageInput = {
  ChannelID: channelField,
  ...contentFields,
  ThreadTs: wick("desc=The topic of a group, or thread_ts of an event, to write there."),
  Buttons: buttonsField,
  Silent: silentField,
};

export const replyInput = {
  ChannelID: channelField,
  ThreadTs: wick(
    "required;desc=ts of the message to reply to, or thread_ts of the event to answer in its thread.",
  ),
  ...contentFields,
  Buttons: buttonsField,
  Silent: silentField,
};

type Context = CallContext & Pick<OperationTools, "signal" | "progress">;
type SendContext = Context & { params: FieldValues<typeof sendMessageInput> };
type ReplyContext = Context & { params: FieldValues<typeof replyInput> };

export function sendMessage(ctx: SendContext): Promise<SentMessages> {
  const { ThreadTs } = ctx.params;
  const thread = ThreadTs ? toMessageId("thread_ts", ThreadTs) : null;
  return send(ctx, { thread, replyTo: null });
}

/** Telegram puts a reply into the topic of its message. If the message is gone, it is sent anyway. */
export function reply(ctx: ReplyContext): Promise<SentMessages> {
  return send(ctx, { thread: null, replyTo: toMessageId("thread_ts", ctx.params.ThreadTs) });
}

async function send(
  ctx: Context & { params: Omit<SendContext["params"], "ThreadTs"> },
  parent: { thread: number | null; replyTo: number | null },
): Promise<SentMessages> {
  const { params } = ctx;
  const target = { chat: toChatId(params.ChannelID), ...parent };
  const parts = toParts(params);
  const keyboard = toKeyboard(params.Buttons);
  const { signal, progress } = ctx;
  return await sendParts({ client: await openRow(ctx), signal, progress }, target, parts, {
    options: {
      ...(!params.LinkPreview && { link_preview_options: { is_disabled: true } }),
      ...(params.Silent && { disable_notification: true }),
    },
    last: keyboard === undefined ? {} : { reply_markup: keyboard },
  });
}
