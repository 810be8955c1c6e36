import { type FieldValues, InvalidInputError, wick } from "@hub/connector";
import { type CallContext, callTelegram } from "./call-telegram.ts";

export const answerCallbackInput = {
  CallbackID: wick("required;desc=callback_id of the event of a pressed button."),
  Text: wick("desc=Shown to the user, at most 200 characters. Empty: only the waiting ends."),
  ShowAlert: wick.bool("default=false;desc=Show the text in a dialog instead of a short notice."),
};

const textCharsMax = 200;

export async function answerCallback(
  ctx: CallContext & { params: FieldValues<typeof answerCallbackInput> },
) {
  const { CallbackID, Text, ShowAlert } = ctx.params;
  if ((Text ?? "").length > textCharsMax) {
    throw new InvalidInputError("text", `must have at most ${textCharsMax} characters`);
  }
  await callTelegram(ctx, (api) =>
    api.answerCallbackQuery(CallbackID, {
      ...(Text ? { text: Text } : {}),
      ...(ShowAlert && { show_alert: true }),
    }),
  );
  return { ok: true };
}
