import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import type { EventStream } from "../../lib/streams/event-stream.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";

/** A request to the API, before its endpoint has parsed it. */
export type ApiRequest = {
  /** An active user, by session or by personal access token. */
  caller: Caller;
  /** The caller as the author of changes. */
  actor: Actor;
  services: ServiceDeps;
  /** Segments of the path by name, unescaped. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** The body's text; empty if there is none. */
  body: string;
  /** Content-Type of the body, in lower case and without parameters; empty if there is none. */
  bodyType: string;
  /** Reads the file in the body, for an endpoint that takes one; `body` is empty then. */
  readFile(bytesMax: number): AsyncIterable<Uint8Array>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** The hub's address for clients. */
  baseUrl: string;
  /** The hub's address on its own machine. */
  localUrl: string;
  ip: string | null;
  userAgent: string | null;
  /** The client accepts event streams, so it gets progress. */
  wantsEvents: boolean;
  /**
   * For an answer that takes long: releases the permit of the request, and suspends the idle timeout of
   * the connection; the returned function restores it.
   */
  holdOpen(): () => void;
  /** Opens an event stream for this answer; `onDisconnect` runs if the client disconnects early. */
  openEvents(onDisconnect: () => void): EventStream;
  /**
   * Counts one more answer that stays open for the caller; the returned function ends it. Throws
   * `rate_limited` if the caller has too many.
   */
  countStream(): () => void;
  /**
   * For each portion of a long answer: waits in the lane of the request, and throws if the caller may no
   * longer use the endpoint.
   */
  checkAgain(): Promise<void>;
  /** The same without waiting: for what is sent long after the request was checked. */
  checkRight(): Promise<void>;
  /** Runs `action` once after `delayMs`; the returned function cancels it. */
  after: Timers["after"];
  /** Logs an internal failure after the answer has started. */
  recordFault(fault: unknown): void;
  /** The session of the caller; null for a token. */
  sessionId: string | null;
  /** The token that pages send with each change; null for a personal access token. */
  csrfToken: string | null;
};

/** One call of the API with validated inputs. */
export type ApiCall<Params, Query, Body> = Omit<ApiRequest, "params" | "query" | "body"> & {
  params: Params;
  query: Query;
  body: Body;
};
