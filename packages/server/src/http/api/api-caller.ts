import type { Caller } from "../../caller.ts";

/** The caller of the API and how they authenticated. */
export type ApiCaller = {
  caller: Caller;
  via: "session" | "token";
  /** Null for a token. */
  sessionId: string | null;
  csrfToken: string | null;
};

/** A signed-in browser and its user. */
export type ApiSession = { caller: Caller; sessionId: string; csrfToken: string };
