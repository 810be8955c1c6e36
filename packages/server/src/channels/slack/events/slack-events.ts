import type { ChatEventType } from "../../../workflows/channels/chat-event-type.ts";
import {
  appHomeOpenedEvent,
  blockActionEvent,
  commandEvent,
  shortcutEvent,
  viewClosedEvent,
  viewSubmissionEvent,
} from "./interactions.ts";
import { appMentionEvent, messageEvent, threadStartedEvent } from "./slack-message.ts";

export const slackEvents: readonly ChatEventType[] = [
  messageEvent,
  threadStartedEvent,
  appMentionEvent,
  commandEvent,
  blockActionEvent,
  viewSubmissionEvent,
  shortcutEvent,
  appHomeOpenedEvent,
  viewClosedEvent,
];
