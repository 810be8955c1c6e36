import type { Answer } from "../api/call-api.ts";
import { useApiClient } from "../api/use-api.ts";
import type { ListedCall } from "./use-call-list.ts";
import { recordedRoutes, type SendingState, useSending } from "./use-sending.ts";

type Progress = { ended: number; total: number };

/** `sent` are the calls of a message, in the order of the results. */
type Ended = {
  sent: readonly ListedCall[];
  answer: Answer<"POST /manager/api/operations/calls">;
};

/** How a message of several calls goes. */
export type BatchState = SendingState<Progress, Ended>;

type BatchOptions = { ordered: boolean; stopsOnError: boolean };

/** Sends several calls in one message. It ends when the page is left. */
export function useCallBatch() {
  const api = useApiClient();
  const { state, start, cancel } = useSending<Progress, Ended>(recordedRoutes);
  const send = (sent: readonly ListedCall[], { ordered, stopsOnError }: BatchOptions) => {
    const total = sent.length;
    const calls = sent.map(({ toolId, params }) => ({ tool_id: toolId, params }));
    const body = { calls, ordered, stop_on_error: stopsOnError };
    start(
      async ({ signal, onProgress }) => {
        const showEnded = (report: unknown) => {
          const { done } = Object(report);
          if (typeof done === "number") onProgress({ ended: done, total });
        };
        const route = "POST /manager/api/operations/calls";
        return { sent, answer: await api.follow(route, { body }, showEnded, signal) };
      },
      { ended: 0, total },
    );
  };
  return { state, send, cancel };
}
