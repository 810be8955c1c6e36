import type { Elicitation } from "../../../connectors/elicitation.ts";
import type { McpSession } from "./open-mcp-session.ts";

/** Whose session it is. A session serves one configuration of one row. */
export type SessionTarget = {
  rowId: string;
  /** Null if all users share the session. */
  userId: string | null;
  /** Identifies the row's configuration, with the account of the user. */
  configId: string;
  /** Identifies the row's configuration without it. */
  rowConfigId: string;
  /** What its clients show, which a session declares once; null if its users are asked nothing. */
  shows: Elicitation["shows"] | null;
  /** The account of the user; null if the session uses the row's own access. */
  accountId: string | null;
  isProcess: boolean;
  open(signal: AbortSignal): Promise<McpSession>;
};

/** A session of the pool, from its opening to its end. */
export type SessionSlot = {
  target: SessionTarget;
  opening: Promise<McpSession>;
  session: McpSession | null;
  openedAt: number;
  calls: number;
  hasAnswered: boolean;
  lastUsedAt: number;
  cancelIdle: () => void;
  /** Takes no more calls. */
  isRetired: boolean;
};

export function openSlot(target: SessionTarget, at: number, signal: AbortSignal): SessionSlot {
  return {
    target,
    session: null,
    opening: target.open(signal),
    openedAt: at,
    calls: 0,
    hasAnswered: false,
    lastUsedAt: at,
    cancelIdle: () => {},
    isRetired: false,
  };
}

export function toKey({ rowId, userId, configId, shows }: SessionTarget): string {
  return JSON.stringify([rowId, userId, configId, shows?.form, shows?.url]);
}
