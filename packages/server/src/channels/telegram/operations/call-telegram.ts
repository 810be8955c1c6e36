import { OutboundError, UpstreamError } from "@hub/connector";
import type { Api } from "grammy/web";
import { openTelegram, type TelegramClient, TelegramError } from "../telegram-client.ts";

/** What the functions of the connector need of their context. */
export type CallContext = {
  config: { Token: string; BaseURL: string };
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
};

export function openRow({ config, fetch }: CallContext): Promise<TelegramClient> {
  return openTelegram({ token: config.Token, baseUrl: config.BaseURL, fetch });
}

/** Calls Telegram with the row's token. A refusal becomes the failure of the operation. */
export async function callTelegram<Result>(
  ctx: CallContext,
  run: (api: Api) => Promise<Result>,
): Promise<Result> {
  const client = await openRow(ctx);
  try {
    return await client.call(run);
  } catch (thrown) {
    throw toFailure(thrown);
  }
}

/** The failure of an operation, in Telegram's words and with advice. */
export function toFailure(thrown: unknown): Error {
  if (thrown instanceof OutboundError) return thrown;
  if (!(thrown instanceof TelegramError)) {
    return new UpstreamError("Telegram gave no valid answer. Try again later.");
  }
  const words = /[.!?]$/.test(thrown.description) ? thrown.description : `${thrown.description}.`;
  return new UpstreamError(`Telegram says: ${words} ${advise(thrown)}`.trim(), {
    httpStatus: thrown.code,
    ...(thrown.retryAfterS !== null && { retryAfterS: thrown.retryAfterS }),
    body: {
      description: thrown.description,
      ...(thrown.retryAfterS !== null && { retry_after: thrown.retryAfterS }),
    },
  });
}

function advise({ code, description, retryAfterS }: TelegramError): string {
  if (code === 401 || (code === 404 && description === "Not Found")) {
    return "It does not accept the bot's token. Ask an admin to set a new one.";
  }
  if (code === 403) return "Write only to chats that the bot is in, and to users who started it.";
  if (code === 429) return `Too many messages. Wait ${retryAfterS ?? 1} s, then try again.`;
  if (/chat not found/.test(description)) return "Check channel_id.";
  if (/message (to .*|thread )not found/.test(description))
    return "Check the message's id and channel_id.";
  if (/query is too old/.test(description)) {
    return "A pressed button must be answered within a few seconds, and once.";
  }
  return code >= 500 ? "Try again later." : "";
}
