import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { CallParams } from "./use-call.ts";

/** A call that waits to be sent together with others. */
export type ListedCall = {
  /** Of this browser, for lists. */
  key: number;
  toolId: string;
  /** What people read: the operation and its row. */
  name: string;
  row: string;
  params: CallParams;
};

/** The calls of one message. */
export const callsMax = 100;

const queryKey = ["calls to send together"];
const none: readonly ListedCall[] = [];

/** The calls that are sent together, which stay while the user goes from one operation to another. */
export function useCallList() {
  const queries = useQueryClient();
  const { data: calls } = useQuery({
    queryKey,
    queryFn: () => none,
    initialData: none,
    enabled: false,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const change = (next: readonly ListedCall[]) => queries.setQueryData(queryKey, next);
  return {
    calls,
    isFull: calls.length >= callsMax,
    add(call: Omit<ListedCall, "key">) {
      const last = calls.at(-1)?.key ?? 0;
      if (calls.length < callsMax) change([...calls, { ...call, key: last + 1 }]);
    },
    remove: (key: number) => change(calls.filter((call) => call.key !== key)),
    clear: () => change(none),
  };
}
