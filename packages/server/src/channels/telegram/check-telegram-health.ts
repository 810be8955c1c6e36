import { type Health, OutboundError } from "@hub/connector";
import { readAccount } from "./bot-account.ts";
import { type CallContext, openRow, toFailure } from "./operations/call-telegram.ts";
import type { TelegramConfig } from "./telegram-config-fields.ts";

/** Whether the token works, and whether Telegram could deliver to the webhook. */
export async function checkHealth(ctx: CallContext & { config: TelegramConfig }): Promise<Health> {
  try {
    const client = await openRow(ctx);
    const { userName } = await readAccount(client);
    if (ctx.config.Mode !== "webhook") return { ok: true, reason: `The bot is @${userName}.` };
    const info = await client.call((api) => api.getWebhookInfo());
    if (info.last_error_message === undefined) {
      return { ok: true, reason: `The bot is @${userName}.` };
    }
    const at = new Date((info.last_error_date ?? 0) * 1_000).toISOString();
    return {
      ok: false,
      reason: `Telegram could not deliver to the webhook at ${at}: ${info.last_error_message}`,
    };
  } catch (thrown) {
    const { message } = thrown instanceof OutboundError ? thrown : toFailure(thrown);
    return { ok: false, reason: message };
  }
}
