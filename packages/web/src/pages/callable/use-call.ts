import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/call-api.ts";
import { readAgain } from "../../api/read-again.ts";
import { useApiClient } from "../../api/use-api.ts";

const route = "POST /manager/api/operations/{row}/{operation}/call";

/** How a call goes. */
export type CallState =
  | { kind: "none" }
  | { kind: "running"; progress: string | null }
  | { kind: "done"; answer: Answer<typeof route> }
  | { kind: "failed"; error: ApiError }
  | { kind: "cancelled" };

/** Calls an operation as a client does. The call ends when the page is left. */
export function useCall(row: string, operation: string) {
  const api = useApiClient();
  const queries = useQueryClient();
  const [state, setState] = useState<CallState>({ kind: "none" });
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  const start = async (params: Record<string, unknown>) => {
    current.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    const show = (next: CallState) => {
      if (current.current === controller) setState(next);
    };
    show({ kind: "running", progress: null });
    try {
      const answer = await api.follow(
        route,
        { params: { row, operation }, body: { params } },
        (report) => show({ kind: "running", progress: describeProgress(report) }),
        signal,
      );
      show({ kind: "done", answer });
    } catch (thrown) {
      show(signal.aborted ? { kind: "cancelled" } : { kind: "failed", error: asApiError(thrown) });
    }
    void readAgain(queries, [
      "GET /manager/api/runs",
      "GET /manager/api/rows/{row}/runs",
      "GET /profile/api/runs",
    ]);
  };
  return {
    state,
    call: (params: Record<string, unknown>) => void start(params),
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
