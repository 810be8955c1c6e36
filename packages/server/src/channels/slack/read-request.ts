import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import type { ChatRequest, OpenChannel, ReadChatRequest } from "../chat-adapter.ts";
import { type DeliveryKind, readDelivery } from "./read-delivery.ts";
import { readSlackConfig } from "./slack-config.ts";

/** Older requests may be recordings that are sent again. */
const ageSMax = 300;

/** Reads a signed request of Slack: an event, an interaction, a command or the check of the address. */
export async function readSlackRequest(
  channel: OpenChannel,
  request: ChatRequest,
): Promise<ReadChatRequest> {
  const { signingSecret, includeEdits } = readSlackConfig(channel.config);
  checkSignature(signingSecret, request, channel.now());
  const { kind, body } = readBody(request);
  if (kind === "handshake") return { envelopes: [], answer: toAnswer(body) };
  const envelope = readDelivery({ account: channel.account, includeEdits }, kind, body);
  if (envelope.unreadable !== undefined) throw badBody(envelope.unreadable);
  return { envelopes: [envelope], answer: { status: 200 } };
}

function checkSignature(secret: string, { headers, raw }: ChatRequest, nowMs: number): void {
  const signature = headers.get("x-slack-signature") ?? "";
  const timestamp = headers.get("x-slack-request-timestamp") ?? "";
  const ageS = Math.abs(nowMs / 1000 - Number(timestamp));
  const isRecent = /^\d{1,12}$/.test(timestamp) && ageS <= ageSMax;
  // Without a secret, an empty key would accept requests of anybody.
  if (secret === "" || !isRecent) throw refuse();
  const hmac = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(raw);
  const expected = Buffer.from(`v0=${hmac.digest("hex")}`);
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw refuse();
}

const refuse = () =>
  new HubError("unauthorized", "The signature of the request is missing, wrong or too old.");

type Body = { kind: DeliveryKind; body: unknown } | { kind: "handshake"; body: string };

const challenge = z.object({
  type: z.literal("url_verification"),
  challenge: z.string().max(1000),
});

function readBody({ headers, raw }: ChatRequest): Body {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = decode(raw);
  if (type === "application/json") {
    const body = parse(text);
    const handshake = challenge.safeParse(body);
    if (handshake.success) return { kind: "handshake", body: handshake.data.challenge };
    return { kind: "events_api", body };
  }
  if (type !== "application/x-www-form-urlencoded") throw badBody();
  const form = new URLSearchParams(text);
  const payload = form.get("payload");
  if (payload !== null) return { kind: "interactive", body: parse(payload) };
  // Slack asks the address of a command now and then whether its certificate is valid.
  if (form.get("ssl_check") === "1") return { kind: "handshake", body: "" };
  return { kind: "slash_commands", body: Object.fromEntries(form) };
}

const toAnswer = (body: string) => ({
  status: 200,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body,
});

function decode(raw: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(raw);
  } catch {
    throw badBody();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody();
  }
}

const badBody = (cause?: unknown) =>
  new HubError("bad_request", "The body is not a delivery of Slack.", { cause });
