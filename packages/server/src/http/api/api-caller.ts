import type { Caller } from "../../caller.ts";

/** The caller of the API and how they authenticated. */
export type ApiCaller = {
  caller: Caller;
  via: "session" | "token";
  /** Null for a token. */
  sessionId: string | null;
  csrfToken: string | null;
  /** When the user of the session last proved who they are, epoch ms; null for a token. */
  freshAt: number | null;
};

/** A signed-in browser and its user. */
export type ApiSession = {
  caller: Caller;
  sessionId: string;
  csrfToken: string;
  freshAt: number;
};
