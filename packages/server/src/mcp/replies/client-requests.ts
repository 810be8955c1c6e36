import type { Json } from "@hub/connector";
import type { Timers } from "../../lib/time/timers.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { ResponseFrame } from "../frames/frame.ts";
import { toRequestFrame } from "../frames/write-frame.ts";
import type { CallName } from "./in-flight.ts";

type AskClient = NonNullable<CallContext["askClient"]>;
type SessionName = Pick<CallName, "owner" | "session">;

/** The requests of the hub to clients of the session mode, which wait for their answers. */
export type ClientRequests = {
  /** Asks within one call. `send` writes to the client that made it, and `signal` is that of the call. */
  open(session: SessionName, send: (frame: string) => void, signal: AbortSignal): AskClient;
  /** Takes an answer. One of another user or session, and a second one, have no effect. */
  settle(session: SessionName, response: ResponseFrame): void;
};

/** A person reads the question and answers within this time, or is asked on the page. */
const answerMsMax = 5 * 60_000;

export function createClientRequests({
  timers,
  isOnlyServer,
}: {
  timers: Timers;
  /** Whether no other server may get the answer. Absent if there is never another one. */
  isOnlyServer?: (() => Promise<boolean>) | undefined;
}): ClientRequests {
  const waiting: Map<string, { session: SessionName; settle(result: Json | null): void }> =
    new Map();

  async function ask(
    session: SessionName,
    send: (frame: string) => void,
    signal: AbortSignal,
    { method, params }: Parameters<AskClient>[0],
  ): Promise<Json | null> {
    if (isOnlyServer !== undefined && !(await isOnlyServer())) return null;
    if (signal.aborted) return null;
    const { promise, resolve } = Promise.withResolvers<Json | null>();
    // Random, so that a client cannot answer what it was not asked.
    const id = JSON.stringify(`hub-${crypto.randomUUID()}`);
    const end = () => settle(null);
    const cancelTimer = timers.after(answerMsMax, end);
    function settle(result: Json | null): void {
      waiting.delete(id);
      cancelTimer();
      signal.removeEventListener("abort", end);
      resolve(result);
    }
    waiting.set(id, { session, settle });
    signal.addEventListener("abort", end, { once: true });
    send(toRequestFrame(id, method, params));
    return await promise;
  }

  return {
    open: (session, send, signal) => (request) => ask(session, send, signal, request),
    settle({ owner, session }, { id, result }) {
      const found = id === null ? undefined : waiting.get(id);
      if (found?.session.owner !== owner || found.session.session !== session) return;
      found.settle(result);
    },
  };
}
