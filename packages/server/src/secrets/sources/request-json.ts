import { type GuardedFetch, OutboundError, readRequestedWait } from "@hub/connector";
import { SourceFailure } from "./source-failure.ts";

/** An answer of a manager. `body` is null if it is no JSON. */
export type JsonAnswer = { status: number; headers: Headers; body: unknown };

export type JsonRequest = {
  url: string;
  method?: "GET" | "POST" | "PUT";
  headers?: Record<string, string>;
  /** Sent as JSON if it is an object. */
  body?: string | URLSearchParams | Record<string, unknown>;
  signal: AbortSignal;
};

/** A secret and what a manager writes around it is shorter. */
const answerCharsMax = 256 * 1024;

/**
 * Sends a request and reads the answer as JSON. Rejects with a SourceFailure `away` if the manager cannot be reached
 * or says by 429 or 5xx that it cannot answer now. Redirects are not followed: they would carry the token to another host.
 */
export async function requestJson(
  fetch: GuardedFetch,
  { url, method = "GET", headers = {}, body, signal }: JsonRequest,
): Promise<JsonAnswer> {
  const { host } = new URL(url);
  const isObject = typeof body === "object" && !(body instanceof URLSearchParams);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers: {
        accept: "application/json",
        ...(isObject && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isObject ? JSON.stringify(body) : body }),
      redirect: "manual",
      signal,
    });
    text = await response.text();
  } catch (thrown) {
    throw toFailure(thrown, host);
  }
  const { status } = response;
  if (status === 429 || status >= 500) {
    const waitS = readRequestedWait(response, { now: Date.now() });
    throw new SourceFailure(
      "away",
      `${host} answered ${status}`,
      waitS === null ? null : waitS * 1000,
    );
  }
  if (status >= 300 && status < 400) {
    throw new SourceFailure(
      "bad",
      `${host} redirects to another address, which the hub does not follow. Enter the final address`,
    );
  }
  if (text.length > answerCharsMax)
    throw new SourceFailure("bad", `the answer of ${host} is too large`);
  return { status, headers: response.headers, body: parse(text) };
}

/** Messages of the guard name hosts and ports, and nothing of the answer. */
function toFailure(thrown: unknown, host: string): SourceFailure {
  if (!(thrown instanceof OutboundError))
    return new SourceFailure("away", `${host} did not answer`);
  if (thrown.code === "body_too_large") {
    return new SourceFailure("bad", `the answer of ${host} is too large`);
  }
  if (thrown.code === "blocked" || thrown.code === "bad_url") {
    return new SourceFailure("bad", `${host} may not be called: it is not a public address`);
  }
  return new SourceFailure("away", `${host} cannot be reached (${thrown.code})`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A member of an answer; undefined if the answer has another shape. */
export function readMember(value: unknown, ...path: readonly string[]): unknown {
  let member = value;
  for (const key of path) {
    if (typeof member !== "object" || member === null || !Object.hasOwn(member, key))
      return undefined;
    // Safe: it is an object with this member of its own.
    member = (member as Record<string, unknown>)[key];
  }
  return member;
}

export function readText(value: unknown, ...path: readonly string[]): string | null {
  const member = readMember(value, ...path);
  return typeof member === "string" ? member : null;
}
