import type { CallBounds } from "./lib/call-bounds.ts";

/** What of a user makes a call. Pending calls and permits belong to it, beside the user. */
export type Principal = {
  /** A personal token, an application's grant, the stdio entry, a signed-in session, or the node of a workflow's run. */
  kind: "token" | "grant" | "stdio" | "session" | "workflow";
  /** Of the token or grant; the id of the run for a workflow; empty for the other kinds. */
  id: string;
};

/** The user of a call. Read from the store on every call, so that it is never stale. */
export type Caller = {
  userId: string;
  email: string;
  name: string;
  role: "admin" | "user";
  /** Tag names of the user, without the reserved `everyone`. */
  tags: ReadonlySet<string>;
  /** The token of the call; null over stdio and on the command line. */
  tokenId: string | null;
  /** Absent for a user who makes no call, such as the owner whose rights are looked up. */
  principal?: Principal;
  /** The part of these operations that the request may use; null or absent is all of them. */
  scope?: CallScope | null;
  /** What a bound token limits its calls to, and all that they start. Absent for calls without bounds. */
  bounds?: CallBounds;
  /**
   * Of a service user: the id of its owner. A service user decides nothing, is asked nothing, and has no accounts. Absent for
   * a person.
   */
  ownerId?: string;
  /** The revision that was read in the same statement as the caller, if there was one. */
  seen?: SeenRevision;
};

/** A choice of operations: that of a profile, by the slug in its address. */
export type CallScope = { profile: string };

/** A revision of the configuration, and when it was read (`performance.now()`). */
export type SeenRevision = { revision: number; askedAt: number };
