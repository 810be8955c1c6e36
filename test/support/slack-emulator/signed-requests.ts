import { createHmac } from "node:crypto";
import type { Attempt, Outcome, RetryReason, Transport } from "./deliveries.ts";
import type { JsonObject, Workspace } from "./workspace.ts";

export type SignatureFault = "missing" | "wrong" | "old" | "wrong version" | "no timestamp";

export type SignedRequest = { headers: Record<string, string>; body: string };

/** A request as Slack sends it, or with a fault in its signature. */
export function signRequest(
  slack: Workspace,
  body: string,
  { isForm = false, fault = null }: { isForm?: boolean; fault?: SignatureFault | null } = {},
): SignedRequest {
  const ageS = fault === "old" ? 301 : 0;
  const timestamp = String(Math.floor(slack.clock.now() / 1_000) - ageS);
  const secret = fault === "wrong" ? `${slack.signingSecret}0` : slack.signingSecret;
  const version = fault === "wrong version" ? "v1" : "v0";
  const hmac = createHmac("sha256", secret).update(`${version}:${timestamp}:${body}`);
  return {
    body,
    headers: {
      "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      accept: "*/*",
      ...(fault !== "no timestamp" && { "x-slack-request-timestamp": timestamp }),
      ...(fault !== "missing" && { "x-slack-signature": `${version}=${hmac.digest("hex")}` }),
    },
  };
}

/** Events are JSON, commands are forms, interactions are forms with the member `payload`. */
export function toRequest(
  slack: Workspace,
  attempt: Attempt,
  fault: SignatureFault | null = null,
): SignedRequest {
  const { kind, payload } = attempt.delivery;
  if (kind === "events_api") {
    const request = signRequest(slack, JSON.stringify(payload), { fault });
    if (attempt.retry > 0) {
      request.headers["x-slack-retry-num"] = String(attempt.retry);
      request.headers["x-slack-retry-reason"] = toHttpReason(attempt.retryReason ?? "timeout");
    }
    return request;
  }
  const form = kind === "interactive" ? { payload: JSON.stringify(payload) } : toTexts(payload);
  return signRequest(slack, new URLSearchParams(form).toString(), { isForm: true, fault });
}

const toHttpReason = (reason: RetryReason): string =>
  reason === "timeout" ? "http_timeout" : reason;

const toTexts = (payload: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, String(value)]));

/** Posts to the request URL of the app. An answer outside 2xx is a failure, and is sent again. */
export function createHttpTransport(
  slack: Workspace,
  url: string,
  stopped: AbortSignal,
): Transport {
  return (attempt, done) => {
    const request = { method: "POST", redirect: "manual", ...toRequest(slack, attempt) } as const;
    const outcome = fetch(url, { ...request, signal: stopped }).then(
      (response) => readOutcome(slack, attempt, response),
      (): Outcome => ({ state: "failed", reason: "connection_failed" }),
    );
    void outcome.then(done);
  };
}

async function readOutcome(
  slack: Workspace,
  attempt: Attempt,
  response: Response,
): Promise<Outcome> {
  const text = await response.text();
  if (!response.ok) return { state: "failed", reason: "http_error" };
  const { kind, acceptsResponse } = attempt.delivery;
  const fault = (what: string) => void slack.faults.push(`HTTP answer to ${kind}: ${what}`);
  if (text === "") return { state: "acknowledged", answer: null };
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  // A command may be answered with plain text, which Slack shows. An event's body is ignored.
  if (kind === "slash_commands" && !isJson) return { state: "acknowledged", answer: { text } };
  if (!isJson) {
    if (kind === "interactive") fault("a body that is no JSON.");
    return { state: "acknowledged", answer: null };
  }
  const answer: unknown = JSON.parse(text);
  const isEmpty = typeof answer !== "object" || !answer || Object.keys(answer).length === 0;
  if (!isEmpty && !acceptsResponse) fault(`a body that Slack ignores or refuses: ${text}`);
  return { state: "acknowledged", answer: isEmpty ? null : answer };
}

/** Sends `url_verification`, as Slack does when the request URL is saved. Throws unless the answer has the challenge. */
export async function verifyRequestUrl(slack: Workspace, url: string): Promise<void> {
  const challenge = slack.newId("challenge");
  const body = { token: slack.verificationToken, challenge, type: "url_verification" };
  const request = signRequest(slack, JSON.stringify(body));
  const response = await fetch(url, { method: "POST", redirect: "manual", ...request });
  const text = await response.text();
  const type = response.headers.get("content-type")?.split(";")[0]?.trim();
  let echoed: unknown = text;
  if (type === "application/json") echoed = JSON.parse(text)?.challenge;
  if (type === "application/x-www-form-urlencoded") {
    echoed = new URLSearchParams(text).get("challenge");
  }
  if (response.status !== 200 || echoed !== challenge) {
    throw new Error(`The request URL did not answer the challenge: ${response.status} ${text}`);
  }
}
