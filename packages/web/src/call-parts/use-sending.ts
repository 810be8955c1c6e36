import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../api/api-error.ts";
import type { ReadRoute } from "../api/call-api.ts";
import { readAgain } from "../api/read-again.ts";

/** How a request goes that calls operations. */
export type SendingState<Progress, Answer> =
  | { kind: "none" }
  | { kind: "running"; progress: Progress }
  | { kind: "done"; answer: Answer }
  | { kind: "failed"; error: ApiError }
  | { kind: "cancelled" };

/** Sends a request. Its answer ends it, or the signal does. */
type Send<Progress, Answer> = (request: {
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}) => Promise<Answer>;

/** The routes whose answers have recorded calls. */
export const recordedRoutes = [
  "GET /manager/api/runs",
  "GET /manager/api/rows/{row}/runs",
  "GET /profile/api/runs",
] as const satisfies readonly ReadRoute[];

/** Sends one request at a time. It ends when the page is left. `refreshes` are read again after it. */
export function useSending<Progress, Answer>(refreshes: readonly ReadRoute[]) {
  const queries = useQueryClient();
  const [state, setState] = useState<SendingState<Progress, Answer>>({ kind: "none" });
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  const start = async (send: Send<Progress, Answer>, progress: Progress) => {
    current.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    const show = (next: SendingState<Progress, Answer>) => {
      if (current.current === controller) setState(next);
    };
    show({ kind: "running", progress });
    try {
      const onProgress = (next: Progress) => show({ kind: "running", progress: next });
      show({ kind: "done", answer: await send({ signal, onProgress }) });
    } catch (thrown) {
      show(signal.aborted ? { kind: "cancelled" } : { kind: "failed", error: asApiError(thrown) });
    }
    void readAgain(queries, refreshes);
  };
  return {
    state,
    /** `progress` is shown until there is a report. */
    start: (send: Send<Progress, Answer>, progress: Progress) => void start(send, progress),
    cancel: () => current.current?.abort(),
  };
}
