import { createHmac, timingSafeEqual } from "node:crypto";
import { HubError } from "../../errors.ts";
import {
  type ChatAccount,
  ChatRefusal,
  type ChatRequest,
  type ChatSession,
  type OpenChannel,
  type ReadChatRequest,
} from "../chat-adapter.ts";
import { listAllowedUpdates, parseUpdate } from "./receive-update.ts";
import { type TelegramClient, TelegramError } from "./telegram-client.ts";
import type { TelegramConfig } from "./telegram-config-fields.ts";

/** Tells Telegram where to send updates, and waits for the signal. */
export async function holdWebhook(
  client: TelegramClient,
  channel: OpenChannel & { config: TelegramConfig },
  session: ChatSession,
  account: ChatAccount,
): Promise<void> {
  const { signal, requestUrl } = session;
  try {
    await client.call((api) =>
      api.setWebhook(requestUrl, {
        secret_token: toSecret(channel),
        allowed_updates: listAllowedUpdates(channel.config),
      }),
    );
  } catch (thrown) {
    if (!(thrown instanceof TelegramError) || thrown.code !== 400) throw thrown;
    throw new ChatRefusal(
      `Telegram cannot send to ${requestUrl}: ${thrown.description}. Give the hub a public https base URL, or set the mode to polling.`,
    );
  }
  session.connected(account);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Reads a request of Telegram, which shows itself by the secret that the hub gave it. */
export function readWebhookRequest(channel: OpenChannel, request: ChatRequest): ReadChatRequest {
  const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
  if (!isSame(given, toSecret(channel))) {
    throw new HubError("unauthorized", "The secret token is missing or wrong.");
  }
  let update: unknown;
  try {
    update = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(request.raw));
  } catch (cause) {
    throw new HubError("bad_request", "The body is no JSON.", { cause });
  }
  return { envelopes: [parseUpdate(update, channel, channel.account)], answer: { status: 200 } };
}

/** Made from the token and the row, so that every process knows it and nothing is stored. */
function toSecret({ id, config }: OpenChannel): string {
  return createHmac("sha256", String(config.Token)).update(`hub webhook ${id}`).digest("hex");
}

function isSame(given: string, expected: string): boolean {
  // Of equal length, and without a hint where they differ.
  const hash = (text: string) => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
