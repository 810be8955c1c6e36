import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../api/api-error.ts";
import type { Answer, ReadRoute } from "../api/call-api.ts";
import { readAgain } from "../api/read-again.ts";

type CallAnswer = Answer<"POST /manager/api/operations/{row}/{operation}/call">;

/** How a call goes. */
export type CallState =
  | { kind: "none" }
  | { kind: "running"; progress: string | null }
  | { kind: "done"; answer: CallAnswer }
  | { kind: "failed"; error: ApiError }
  | { kind: "cancelled" };

export type CallParams = Record<string, unknown>;

/** Sends a call. Its answer ends it, or the signal does. */
type SendCall = (
  params: CallParams,
  call: { signal: AbortSignal; onProgress: (report: unknown) => void },
) => Promise<CallAnswer>;

/** Calls an operation. The call ends when the page is left. `refreshes` are read again after it. */
export function useCall(send: SendCall, refreshes: readonly ReadRoute[]) {
  const queries = useQueryClient();
  const [state, setState] = useState<CallState>({ kind: "none" });
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  const start = async (params: CallParams) => {
    current.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    const show = (next: CallState) => {
      if (current.current === controller) setState(next);
    };
    show({ kind: "running", progress: null });
    try {
      const answer = await send(params, {
        signal,
        onProgress: (report) => show({ kind: "running", progress: describeProgress(report) }),
      });
      show({ kind: "done", answer });
    } catch (thrown) {
      show(signal.aborted ? { kind: "cancelled" } : { kind: "failed", error: asApiError(thrown) });
    }
    void readAgain(queries, refreshes);
  };
  return {
    state,
    call: (params: CallParams) => void start(params),
    cancel: () => current.current?.abort(),
  };
}

/** "3 of 10: Reading page 3". */
function describeProgress(report: unknown): string | null {
  const { done, total, message } = Object(report);
  const count =
    typeof done !== "number" ? "" : typeof total === "number" ? `${done} of ${total}` : `${done}`;
  const text = typeof message === "string" ? message : "";
  return [count, text].filter(Boolean).join(": ") || null;
}
