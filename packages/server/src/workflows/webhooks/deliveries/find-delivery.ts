import { createHash } from "node:crypto";
import type { Json } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { parseTemplate } from "../../templates/parse/parser.ts";
import { renderTemplate } from "../../templates/render/render-template.ts";
import { TemplateError } from "../../templates/template-error.ts";
import { openWebhookPayload } from "../body/webhook-payload.ts";
import type { WebhookTrigger } from "../receive/find-webhook-trigger.ts";

export type SentDelivery = {
  trigger: Pick<WebhookTrigger, "id" | "delivery_id">;
  headers: Pick<Headers, "get">;
  /** As it is stored. */
  payload: Record<string, Json>;
  raw: Uint8Array;
  /** Counts what is made of the body. May throw. */
  hold(chars: number): void;
  source: string | null;
  env: Readonly<Record<string, string>>;
  /** Epoch ms. */
  now: number;
};

const deliveryCharsMax = 200;

/** Headers that are the same in each try of one delivery, by the documentation of their senders. */
const deliveryHeaders = [
  ...["x-hub-delivery", "x-github-delivery", "idempotency-key", "webhook-id", "svix-id"],
  ...["x-shopify-webhook-id", "shopify-webhook-id", "i-twilio-idempotency-token"],
  ...["x-atlassian-webhook-identifier", "linear-delivery", "x-zendesk-webhook-invocation-id"],
  ...["x-contentful-idempotency-key", "x-pandadoc-webhook-event-id"],
  ...["x-gitea-delivery", "x-forgejo-delivery", "x-gogs-delivery"],
];

/**
 * Headers that several deliveries share, so that their bodies tell them apart: events that webhooks of GitLab lead to
 * have the id of the first one, and WooCommerce has one id for each second.
 */
const sharedHeaders = ["x-gitlab-event-uuid", "x-wc-webhook-delivery-id"];

/** Senders whose id is in the body, or in a header of a common name, told by another header that they send. */
const markedSenders: readonly { mark: string; header?: string; body?: readonly string[] }[] = [
  { mark: "stripe-signature", body: ["id"] },
  { mark: "x-slack-signature", body: ["event_id"] },
  { mark: "x-pagerduty-signature", body: ["event", "id"] },
  { mark: "x-signature-ed25519", body: ["id"] },
  { mark: "paddle-signature", body: ["event_id"] },
  { mark: "x-square-hmacsha256-signature", body: ["event_id"] },
  { mark: "sentry-hook-resource", header: "request-id" },
  { mark: "x-hook-uuid", header: "x-request-uuid" },
];

/**
 * The sender's id of a delivery, or null. A second delivery with the same id starts no run. With `delivery_id`, the
 * template of the trigger alone gives it.
 */
export function findDelivery(sent: SentDelivery): string | null {
  const { delivery_id: template } = sent.trigger;
  const found = template === undefined ? findKnown(sent) : renderId(sent, template);
  const id = found?.trim() ?? "";
  if (id === "") return null;
  if (id.length <= deliveryCharsMax) return id;
  throw new HubError(
    "bad_request",
    `The id of the delivery has more than ${deliveryCharsMax} characters. Send a shorter one.`,
  );
}

function findKnown(sent: SentDelivery): string | null {
  const { headers, raw } = sent;
  const known = deliveryHeaders.map((name) => headers.get(name)?.trim()).find(Boolean);
  if (known !== undefined) return known;
  const sharedId = sharedHeaders.map((name) => headers.get(name)).find(Boolean);
  if (sharedId) return `${sharedId}:${hash(raw).slice(0, 32)}`;
  const cloudEventId = headers.get("ce-id");
  if (cloudEventId) {
    const id = `${headers.get("ce-source") ?? ""} ${cloudEventId}`;
    // Sources are addresses of any length.
    return id.length <= deliveryCharsMax ? id : hash(id);
  }
  const sender = markedSenders.find(({ mark }) => headers.get(mark) !== null);
  if (sender === undefined) return null;
  return sender.header === undefined
    ? readMember(openPayload(sent).body, sender.body ?? [])
    : headers.get(sender.header);
}

const hash = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

function readMember(value: Json | undefined, path: readonly string[]): string | null {
  let found: unknown = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return null;
    found = Object(found)[name];
  }
  return typeof found === "string" ? found : null;
}

function openPayload({ payload, raw, hold }: SentDelivery): Record<string, Json> {
  return Object(openWebhookPayload(payload, raw, hold));
}

function renderId(sent: SentDelivery, template: string): string | null {
  const { trigger, source, env, now } = sent;
  const event = { Type: "webhook", TriggerID: trigger.id, Payload: openPayload(sent) };
  const roots = {
    Event: {
      ...event,
      Source: source,
      User: null,
      At: new Date(now).toISOString(),
      ts: now / 1000,
    },
    Node: {},
    Env: env,
    Run: null,
    Workflow: null,
    secret: () => null,
    basicCredentials: () => null,
  };
  try {
    const { value } = renderTemplate(parseTemplate(template), roots, { now });
    if (value === null || typeof value === "string") return value;
    if (typeof value === "number" || JSON.isRawJSON(value)) return JSON.stringify(value);
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    throw refuseId(thrown);
  }
  throw refuseId();
}

function refuseId(cause?: unknown): HubError {
  return new HubError(
    "bad_request",
    "The request has no text or number where the trigger looks for the id of its delivery (`delivery_id`).",
    { cause },
  );
}
