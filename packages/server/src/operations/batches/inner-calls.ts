import type { Caller } from "../../caller.ts";
import { type ErrorCode, errorTable, HubError, toHubError } from "../../errors.ts";
import { largeBytes, yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Admitted, ToolCall } from "../admission/call.ts";
import {
  type CallContext,
  type ExecuteRequest,
  findCallingWorkflow,
  type MessageCause,
} from "../operations.ts";
import type { Calls } from "../ports.ts";
import { countChars } from "./count-chars.ts";

/** How a call ended that is one of several. `text` is the sealed result as compact JSON; `error` is sealed too. */
export type InnerAnswer =
  | { status: "success"; runId: string; text: string }
  /** `runId` is absent if the call failed before it had a record. */
  | { status: "error" | "denied" | "cancelled"; runId?: string; error: HubError }
  /** The call did not begin, so it has no record. */
  | { status: "not_run"; error: HubError };

/** The calls of one message or one script. */
export type InnerCalls = {
  /**
   * Makes a call with its own record. Never rejects. The signal ends this call alone; the signal of the context ends
   * all. How many run at once is limited by the one who calls: see `limitAtOnce`.
   */
  call(request: ExecuteRequest, signal?: AbortSignal): Promise<InnerAnswer>;
};

export type InnerCallsDeps = {
  calls: Pick<Calls, "call">;
  /** Gets what a call is of, once its caller is known to see it. */
  onTarget?(request: ExecuteRequest, target: Admitted<ToolCall>): void;
};

const atOnceMax = 5;

/** How many calls of one message or one script run at once, if the user may have so many running calls; 0 is no limit. */
export function limitAtOnce(userCallsAtOnce: number): number {
  return Math.min(userCallsAtOnce || atOnceMax, atOnceMax);
}

/** A call that begins later than this after the caller was read needs the caller as stored then. */
const freshMs = 1_000;

/** The calls of a message or a script. Each takes the steps of a call that a client makes alone. */
export function createInnerCalls(
  { calls, onTarget }: InnerCallsDeps,
  ctx: CallContext,
  message: Pick<MessageCause, "kind" | "id">,
): InnerCalls {
  const workflow = findCallingWorkflow(ctx);
  const cause: MessageCause = { ...message, ...(workflow !== null && { workflow }) };
  const findFreshCaller = createCallerReader(ctx);

  async function begin(request: ExecuteRequest, signal: AbortSignal): Promise<InnerAnswer> {
    let inner: CallContext;
    try {
      await (ctx.waitForTurn ?? yieldToEventLoop)(signal);
      signal.throwIfAborted();
      inner = toInnerContext(ctx, await findFreshCaller(), { cause, signal }, request);
      signal.throwIfAborted();
    } catch (thrown) {
      return toNotRun(thrown, signal);
    }
    if (onTarget !== undefined) inner.onTarget = (target) => onTarget(request, target);
    return await answer(calls, inner, request);
  }

  return {
    call: (request, own) =>
      begin(request, own === undefined ? ctx.signal : AbortSignal.any([ctx.signal, own])),
  };
}

async function answer(
  calls: Pick<Calls, "call">,
  ctx: CallContext,
  request: ExecuteRequest,
): Promise<InnerAnswer> {
  let runId: string | undefined;
  const onRecord = (id: string) => {
    runId = id;
  };
  try {
    const sealed = await calls.call({ ...ctx, onRecord }, request);
    return { status: "success", runId: sealed.runId, text: sealed.text };
  } catch (thrown) {
    const error = toHubError(thrown);
    return { status: toStatus(error.code), ...(runId !== undefined && { runId }), error };
  }
}

function toStatus(code: ErrorCode): "error" | "denied" | "cancelled" {
  return errorTable[code].runStatus;
}

function toNotRun(thrown: unknown, { aborted }: AbortSignal): InnerAnswer {
  const isPlainAbort = aborted && !(thrown instanceof HubError);
  const reason = isPlainAbort ? new HubError("cancelled", "The call was cancelled.") : thrown;
  return { status: "not_run", error: toHubError(reason) };
}

/**
 * Without the progress and the content blocks of the outer call: what several calls report or attach cannot be told
 * apart. Their spans are below that of the outer call, so they have no trace context of their own.
 */
function toInnerContext(
  { origin, findCaller, hubs, waitForTurn }: CallContext,
  caller: Caller,
  parts: Pick<CallContext, "signal"> & { cause: MessageCause },
  { params }: ExecuteRequest,
): CallContext {
  const chars = countChars(params);
  return {
    ...parts,
    caller,
    origin,
    ...(findCaller && { findCaller }),
    ...(hubs && { hubs }),
    ...(waitForTurn && { waitForTurn }),
    ...(chars > largeBytes && { largeChars: chars }),
  };
}

/** Reads the caller again if it was read too long ago. Throws `unauthorized` if it may no longer use the hub. */
export function createCallerReader({
  caller,
  findCaller,
}: Pick<CallContext, "caller" | "findCaller">): () => Caller | Promise<Caller> {
  let known: Caller = caller;
  let readAt = performance.now();
  let reading: Promise<Caller> | null = null;

  async function read(find: () => Promise<Caller | null>): Promise<Caller> {
    const askedAt = performance.now();
    const found = await find();
    if (found === null) {
      throw new HubError(
        "unauthorized",
        "You may no longer use the hub, so this call was not made.",
      );
    }
    known = found;
    readAt = askedAt;
    return found;
  }

  return () => {
    if (findCaller === undefined || performance.now() - readAt < freshMs) return known;
    reading ??= read(findCaller).finally(() => {
      reading = null;
    });
    return reading;
  };
}
