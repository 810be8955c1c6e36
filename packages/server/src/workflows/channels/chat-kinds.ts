import type { ValuesByName } from "@hub/connector";
import type { ChatEventType } from "./chat-event-type.ts";

/** The chat platforms that this hub speaks with, by the keys of their connectors. */
export type ChatKinds = {
  has(kind: string): boolean;
  /** The events of a kind. Loads its adapter, so call it only if there is a channel. */
  loadEvents(kind: string): Promise<readonly ChatEventType[]>;
  /** Whether a row with these values takes requests of the platform. Loads the adapter too. */
  acceptsRequests(kind: string, config: ValuesByName): Promise<boolean>;
};

/** A hub without chat platforms. */
export const noChats: ChatKinds = {
  has: () => false,
  loadEvents: async () => [],
  acceptsRequests: async () => false,
};
