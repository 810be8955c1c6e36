import type { GuardedFetch } from "@hub/connector";
import type { Logger, LogLevel, WebClient, WebClientOptions } from "@slack/web-api";
import { pause } from "../pause.ts";
import type { SlackSettings } from "./slack-config.ts";
import { SlackFailure, toSlackFailure } from "./slack-failure.ts";

/** Calls methods of the Web API. Rejects with a `SlackFailure` if Slack refuses. */
export type SlackApi = {
  call(method: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
};

type Deps = {
  settings: Pick<SlackSettings, "botToken" | "baseUrl">;
  /** With the outbound guard and the time limit of the call. */
  fetch: GuardedFetch;
};

/** Slack's own client. The library is loaded with the first call, and never retries. */
export function createSlackApi({ settings, fetch }: Deps): SlackApi {
  let client: WebClient | undefined;
  return {
    async call(method, args = {}) {
      const { WebClient } = await import("@slack/web-api");
      client ??= new WebClient(settings.botToken, toClientOptions(settings, fetch));
      try {
        return { ...(await client.apiCall(method, args)) };
      } catch (thrown) {
        throw toSlackFailure(method, thrown);
      }
    },
  };
}

/** Options of all clients of the library: requests pass the guard, retries are the hub's. */
export function toClientOptions(
  { baseUrl }: Pick<SlackSettings, "baseUrl">,
  fetch: GuardedFetch,
): WebClientOptions {
  return {
    slackApiUrl: baseUrl,
    allowAbsoluteUrls: false,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silentLogger,
    fetch: (url, init) => fetch(url, init),
  };
}

/** The library's log has payloads and addresses with tickets. The hub logs what matters by itself. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  // Safe: a member of the library's enum, which is not loaded here. It only compares it.
  getLevel: () => "error" as LogLevel,
};

/** The longest wait and the number of waits for Slack's rate limit, within the time of a call. */
const retryAfterMsMax = 30_000;
const waitsMax = 3;

/** Calls a method, and again after the time that Slack names if it limits the rate. */
export async function callPatiently(
  api: SlackApi,
  signal: AbortSignal,
  method: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await api.call(method, args);
    } catch (thrown) {
      const wait = thrown instanceof SlackFailure ? thrown.details.retryAfterMs : undefined;
      if (wait === undefined || wait > retryAfterMsMax || waits === waitsMax) throw thrown;
      await pause(wait, signal);
    }
  }
}
