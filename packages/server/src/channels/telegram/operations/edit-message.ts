import { type FieldValues, wick } from "@hub/connector";
import { TelegramError } from "../telegram-client.ts";
import { buttonsField, toKeyboard } from "./buttons.ts";
import { type CallContext, openRow, toFailure } from "./call-telegram.ts";
import { contentFields, toChatId, toMessageId, toSinglePart } from "./message-content.ts";

export const editMessageInput = {
  ChannelID: wick("required;desc=The id of the chat."),
  Ts: wick("required;desc=The message of this bot: ts of send_message, or of a pressed button."),
  ...contentFields,
  Buttons: buttonsField,
};

export const editedSchema = {
  type: "object",
  properties: {
    ok: { const: true },
    channel_id: { type: "string" },
    ts: { type: "string" },
    changed: { type: "boolean", description: "False if the message was like this before." },
  },
  required: ["ok", "channel_id", "ts", "changed"],
};

export async function editMessage(
  ctx: CallContext & { params: FieldValues<typeof editMessageInput> },
) {
  const { params } = ctx;
  const chatId = toChatId(params.ChannelID);
  const messageId = toMessageId("ts", params.Ts);
  const { text, entities } = toSinglePart(params);
  const keyboard = toKeyboard(params.Buttons);
  const client = await openRow(ctx);
  const answer = { ok: true, channel_id: params.ChannelID, ts: params.Ts };
  try {
    await client.call((api) =>
      api.editMessageText(chatId, messageId, text, {
        entities,
        ...(!params.LinkPreview && { link_preview_options: { is_disabled: true } }),
        ...(keyboard !== undefined && { reply_markup: keyboard }),
      }),
    );
    return { ...answer, changed: true };
  } catch (thrown) {
    // A repeated step finds its own change.
    const isSame = thrown instanceof TelegramError && /not modified/.test(thrown.description);
    if (isSame) return { ...answer, changed: false };
    throw toFailure(thrown);
  }
}
