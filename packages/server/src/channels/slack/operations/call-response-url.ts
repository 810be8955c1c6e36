import { readRequestedWait, UpstreamError } from "@hub/connector";
import type { SlackCallContext } from "./call-slack.ts";

const bodyCharsMax = 500;

/** Posts to a response URL. It is its own credential, so it gets no token. */
export async function callResponseUrl(
  { fetch }: SlackCallContext,
  url: string,
  body: object,
): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    // A redirect would carry the answer elsewhere.
    redirect: "error",
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status === 200) return;
  const advice =
    response.status === 404
      ? "A response_url can be used five times within 30 minutes. Use send_message instead."
      : "Send a message with send_message instead, or try again later.";
  const waitS = readRequestedWait(response, { now: Date.now() });
  throw new UpstreamError(`Slack answered ${response.status} at the response_url. ${advice}`, {
    httpStatus: response.status,
    ...(waitS !== null && { retryAfterS: waitS }),
    // A longer one is omitted: a cut could split a secret, and half a secret is not masked.
    ...(text.length <= bodyCharsMax && { body: text }),
  });
}
