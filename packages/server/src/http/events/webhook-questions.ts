import { HubError } from "../../errors.ts";
import {
  findPreflightMethod,
  isOriginAllowed,
  toCorsHeaders,
  toPreflightHeaders,
} from "../../workflows/webhooks/receive/cors-headers.ts";
import type { WebhookTrigger } from "../../workflows/webhooks/receive/find-webhook-trigger.ts";
import { findWebhook, type WebhookDeps } from "../../workflows/webhooks/receive/receive-webhook.ts";
import { createRequestFacts } from "../../workflows/webhooks/receive/request-facts.ts";
import type { WebhookAddress } from "../../workflows/webhooks/webhook-address.ts";

type Question = {
  address: WebhookAddress;
  method: string;
  headers: Headers;
  /** Of the answer. */
  added: Headers;
};

/**
 * The answers to requests that start no run: HEAD, by which senders such as Trello look whether an address exists, and the
 * preflights of browsers. Null for other requests. They are not in the list of requests that the owner sees.
 */
export async function answerWithoutRun(
  deps: Pick<WebhookDeps, "workflows" | "findCaller" | "now">,
  { address, method, headers, added }: Question,
): Promise<Response | null> {
  if (method === "HEAD") {
    const { trigger } = await findWebhook(deps, { address, method: null }, createRequestFacts());
    addCorsHeaders(added, trigger, headers);
    return new Response(null, { status: 200 });
  }
  const asked = findPreflightMethod({ method, headers });
  if (asked === null) return null;
  const { trigger } = await findWebhook(deps, { address, method: asked }, createRequestFacts());
  addCorsHeaders(added, trigger, headers);
  if (trigger.allow_origins === undefined) {
    throw new HubError("not_found", "There is no webhook at this address.");
  }
  if (!isOriginAllowed(trigger, headers)) {
    throw new HubError(
      "forbidden",
      "Pages of this origin may not send requests to the webhook. The owner of the workflow can add it to `allow_origins`.",
    );
  }
  return new Response(null, { status: 204, headers: toPreflightHeaders(trigger, headers) });
}

export function addCorsHeaders(added: Headers, trigger: WebhookTrigger, sent: Headers): void {
  for (const [name, value] of Object.entries(toCorsHeaders(trigger, sent))) added.set(name, value);
}
