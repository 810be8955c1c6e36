import type { ChatAccount } from "../../chat-adapter.ts";

/** What the reading of an envelope depends on. */
export type ReadContext = {
  /** The bot's own account, by which its own messages are recognized. */
  account: ChatAccount | null;
  /** An edited message is an event too. */
  includeEdits: boolean;
};
