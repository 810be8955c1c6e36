import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../api/api-error.ts";
import type { Answer } from "../api/call-api.ts";
import { readAgain } from "../api/read-again.ts";
import { useApiClient } from "../api/use-api.ts";
import type { ListedCall } from "./use-call-list.ts";

type BatchAnswer = Answer<"POST /manager/api/operations/calls">;

/** How a message of several calls goes. `sent` are its calls, in the order of the results. */
export type BatchState =
  | { kind: "none" }
  | { kind: "running"; ended: number; total: number }
  | { kind: "done"; sent: readonly ListedCall[]; answer: BatchAnswer }
  | { kind: "failed"; error: ApiError }
  | { kind: "cancelled" };

export type BatchOptions = { ordered: boolean; stopsOnError: boolean };

const recordedRoutes = [
  "GET /manager/api/runs",
  "GET /manager/api/rows/{row}/runs",
  "GET /profile/api/runs",
] as const;

/** Sends several calls in one message. It ends when the page is left. */
export function useCallBatch() {
  const api = useApiClient();
  const queries = useQueryClient();
  const [state, setState] = useState<BatchState>({ kind: "none" });
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  const start = async (sent: readonly ListedCall[], options: BatchOptions) => {
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    const total = sent.length;
    setState({ kind: "running", ended: 0, total });
    const body = {
      calls: sent.map(({ toolId, params }) => ({ tool_id: toolId, params })),
      ordered: options.ordered,
      stop_on_error: options.stopsOnError,
    };
    const onProgress = (report: unknown) => {
      const { done } = Object(report);
      if (typeof done === "number") setState({ kind: "running", ended: done, total });
    };
    try {
      const answer = await api.follow(
        "POST /manager/api/operations/calls",
        { body },
        onProgress,
        signal,
      );
      setState({ kind: "done", sent, answer });
    } catch (thrown) {
      setState(
        signal.aborted ? { kind: "cancelled" } : { kind: "failed", error: asApiError(thrown) },
      );
    }
    void readAgain(queries, recordedRoutes);
  };
  return {
    state,
    send: (sent: readonly ListedCall[], options: BatchOptions) => void start(sent, options),
    cancel: () => current.current?.abort(),
  };
}
