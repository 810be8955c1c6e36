import { type GuardedFetch, OutboundError } from "@hub/connector";
import type { Api } from "grammy/web";

/** Calls of the Bot API with one token. Errors never contain the token, which is in every URL. */
export type TelegramClient = {
  /** Rejects with a `TelegramError`, an `OutboundError` or a `TelegramAnswerError`. */
  call<Result>(run: (api: Api) => Promise<Result>): Promise<Result>;
};

/** The Bot API refused the call. */
export class TelegramError extends Error {
  override readonly name = "TelegramError";
  readonly code: number;
  /** In Telegram's words, such as `Bad Request: chat not found`. */
  readonly description: string;
  readonly retryAfterS: number | null;
  /** The group has become a supergroup with this id. */
  readonly migrateTo: number | null;

  constructor(refusal: {
    code: number;
    description: string;
    retryAfterS: number | null;
    migrateTo: number | null;
  }) {
    super(`Telegram answered ${refusal.code}: ${refusal.description}`);
    this.code = refusal.code;
    this.description = refusal.description;
    this.retryAfterS = refusal.retryAfterS;
    this.migrateTo = refusal.migrateTo;
  }
}

/** The answer was not of the Bot API, or broke off. */
export class TelegramAnswerError extends Error {
  override readonly name = "TelegramAnswerError";
}

/** Longer than the longest poll. The guarded fetch has its own limit. */
const callTimeoutS = 55;

export async function openTelegram({
  token,
  baseUrl,
  fetch,
  signal,
}: {
  token: string;
  baseUrl: string;
  fetch: GuardedFetch;
  /** Ends all calls. */
  signal?: AbortSignal;
}): Promise<TelegramClient> {
  // Loaded on first use. The build for the web uses the signals of the runtime.
  const { Api, GrammyError, HttpError } = await import("grammy/web");
  const api = new Api(token.trim(), {
    apiRoot: baseUrl.replace(/\/+$/, ""),
    fetch: (input: string | URL | Request, init: RequestInit = {}) => {
      const signals = [init.signal, signal].filter((signal) => signal instanceof AbortSignal);
      return fetch(input, { ...init, redirect: "error", signal: AbortSignal.any(signals) });
    },
    timeoutSeconds: callTimeoutS,
  });
  return {
    async call(run) {
      try {
        return await run(api);
      } catch (thrown) {
        if (thrown instanceof GrammyError) {
          throw new TelegramError({
            code: thrown.error_code,
            // Servers that only speak like Telegram may leave it out.
            description: thrown.description || "no description",
            retryAfterS: thrown.parameters.retry_after ?? null,
            migrateTo: thrown.parameters.migrate_to_chat_id ?? null,
          });
        }
        const cause = thrown instanceof HttpError ? thrown.error : thrown;
        // Its message names the host only, not the path with the token.
        if (cause instanceof OutboundError) throw cause;
        // Without the cause: errors of requests quote the URL.
        throw new TelegramAnswerError("Telegram gave no valid answer.");
      }
    },
  };
}
