import type { Answer, ReadRoute } from "../api/call-api.ts";
import { type SendingState, useSending } from "./use-sending.ts";

type CallAnswer = Answer<"POST /manager/api/operations/{row}/{operation}/call">;

/** How a call goes, with its progress in words. */
export type CallState = SendingState<string | null, CallAnswer>;

export type CallParams = Record<string, unknown>;

/** Sends a call. Its answer ends it, or the signal does. */
type SendCall = (
  params: CallParams,
  call: { signal: AbortSignal; onProgress: (report: unknown) => void },
) => Promise<CallAnswer>;

/** Calls an operation. The call ends when the page is left. `refreshes` are read again after it. */
export function useCall(send: SendCall, refreshes: readonly ReadRoute[]) {
  const { state, start, cancel } = useSending<string | null, CallAnswer>(refreshes);
  const call = (params: CallParams) =>
    start(
      ({ signal, onProgress }) =>
        send(params, { signal, onProgress: (report) => onProgress(describeProgress(report)) }),
      null,
    );
  return { state, call, cancel };
}

/** "3 of 10: Reading page 3". */
function describeProgress(report: unknown): string | null {
  const { done, total, message } = Object(report);
  const count =
    typeof done !== "number" ? "" : typeof total === "number" ? `${done} of ${total}` : `${done}`;
  const text = typeof message === "string" ? message : "";
  return [count, text].filter(Boolean).join(": ") || null;
}
