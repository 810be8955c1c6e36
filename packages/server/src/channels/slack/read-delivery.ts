import type { ChatEnvelope } from "../chat-adapter.ts";
import { toUnreadable } from "../unreadable-envelope.ts";
import type { ReadContext } from "./events/read-callback.ts";
import { readCallback } from "./events/read-callback.ts";
import { readCommand } from "./events/read-command.ts";
import { readInteraction } from "./events/read-interaction.ts";

/** How Slack names its three kinds of deliveries. */
export type DeliveryKind = "events_api" | "slash_commands" | "interactive";

/** Reads what Slack delivers. The envelope is `unreadable` if it is not of Slack's form. */
export function readDelivery(ctx: ReadContext, kind: DeliveryKind, body: unknown): ChatEnvelope {
  try {
    return readKnown(ctx, kind, body);
  } catch (thrown) {
    return toUnreadable(thrown);
  }
}

function readKnown(ctx: ReadContext, kind: DeliveryKind, body: unknown): ChatEnvelope {
  switch (kind) {
    case "events_api":
      return readCallback(ctx, body);
    case "slash_commands":
      return readCommand(body);
    case "interactive":
      return readInteraction(body);
  }
}

export const isDeliveryKind = (kind: unknown): kind is DeliveryKind =>
  kind === "events_api" || kind === "slash_commands" || kind === "interactive";
