import { createHash } from "node:crypto";
import {
  type CallTools,
  isJsonObject,
  parseJson,
  readRequestedWait,
  UpstreamError,
} from "@hub/connector";
import type { OpenApiConfig } from "../openapi-config-fields.ts";

type Context = Pick<CallTools, "fetch" | "mask" | "signal"> & {
  config: OpenApiConfig;
  rowId: string;
};

/** The access tokens that rows got by OAuth client credentials, in memory. */
export type AccessTokens = {
  /** The row's current token, masked in the call. Calls at the same time share one request. */
  take(ctx: Context): Promise<string>;
  /** The API refused the row's token. The next call gets another one. */
  drop(ctx: Pick<Context, "config" | "rowId">): void;
};

type Token = { value: string; endsAtMs: number };

const tokensMax = 1_000;
/** A token is replaced this long before it ends, so that it does not end on its way. */
const marginMs = 30_000;
const defaultLifeMs = 5 * 60_000;
const longestLifeMs = 24 * 3_600_000;
const answerCharsMax = 64 * 1024;
const errorCharsMax = 200;

export function createAccessTokens({ now }: { now(): number }): AccessTokens {
  const tokens = new Map<string, Token>();
  const pending = new Map<string, { token: Promise<Token>; signal: AbortSignal }>();

  async function find(ctx: Context): Promise<Token> {
    const key = toKey(ctx);
    for (;;) {
      const known = tokens.get(key);
      if (known !== undefined && known.endsAtMs > now()) return known;
      const other = pending.get(key);
      if (other === undefined) return await request(key, ctx);
      try {
        return await raceAbort(other.token, ctx.signal);
      } catch (thrown) {
        // The caller that asked for it has gone, so this one asks.
        if (ctx.signal.aborted || !other.signal.aborted) throw thrown;
      }
    }
  }

  async function request(key: string, ctx: Context): Promise<Token> {
    const token = requestToken(ctx, now);
    pending.set(key, { token, signal: ctx.signal });
    try {
      const found = await token;
      tokens.delete(key);
      for (const oldest of tokens.keys()) {
        if (tokens.size < tokensMax) break;
        tokens.delete(oldest);
      }
      tokens.set(key, found);
      return found;
    } finally {
      pending.delete(key);
    }
  }

  return {
    async take(ctx) {
      const { value } = await find(ctx);
      ctx.mask(value, { ofRow: true });
      return value;
    },
    drop: (ctx) => void tokens.delete(toKey(ctx)),
  };
}

/** A change of the settings leads to another token. The key has no secret that can be read. */
function toKey({ rowId, config }: Pick<Context, "config" | "rowId">): string {
  const { TokenURL, ClientID, ClientSecret, ClientAuth, Scopes } = config;
  return createHash("sha256")
    .update(JSON.stringify([rowId, TokenURL, ClientID, ClientSecret, ClientAuth, Scopes]))
    .digest("base64");
}

async function requestToken(ctx: Context, now: () => number): Promise<Token> {
  const { config, fetch, mask } = ctx;
  const body = new URLSearchParams({ grant_type: "client_credentials" });
  if (config.Scopes?.trim()) body.set("scope", config.Scopes.trim());
  const headers = new Headers({ accept: "application/json" });
  const id = config.ClientID.trim();
  const secret = config.ClientSecret.trim();
  if (config.ClientAuth === "post") {
    body.set("client_id", id);
    body.set("client_secret", secret);
  } else {
    // RFC 6749, section 2.3.1: both are encoded like a form first.
    const pair = Buffer.from(`${escapeForm(id)}:${escapeForm(secret)}`).toString("base64");
    mask(pair, { ofRow: true });
    headers.set("authorization", `Basic ${pair}`);
  }
  mask(secret, { ofRow: true });
  const response = await fetch(config.TokenURL, {
    method: "POST",
    headers,
    body,
    redirect: "error",
  });
  const text = await readText(response);
  const answer = parseObject(text);
  const { access_token: value, expires_in: seconds, token_type: type = "Bearer" } = answer;
  if (response.status >= 400 || typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) {
    // A longer text is omitted: a cut could split a secret, and half a secret is not masked.
    const error =
      typeof answer.error === "string" && answer.error.length <= errorCharsMax
        ? ` It says: ${answer.error}.`
        : "";
    const waitS = readRequestedWait(response, { now: now() });
    throw new UpstreamError(
      `The server at token_url gave no access token (status ${response.status}).${error} Ask an admin to check the row's client and scopes.`,
      { httpStatus: response.status, ...(waitS !== null && { retryAfterS: waitS }) },
    );
  }
  mask(value, { ofRow: true });
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") {
    throw new UpstreamError("The server at token_url gave a token of another type than Bearer.");
  }
  const lifeMs = Number(seconds) > 0 ? Number(seconds) * 1000 : defaultLifeMs;
  // A short token is used for half of its life.
  const usedMs = Math.max(lifeMs / 2, Math.min(lifeMs, longestLifeMs) - marginMs);
  return { value, endsAtMs: now() + Math.min(usedMs, longestLifeMs) };
}

function escapeForm(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > answerCharsMax) {
      throw new UpstreamError("The answer of the server at token_url is too long for a token.");
    }
  }
  return text;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function raceAbort<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", abort));
}
