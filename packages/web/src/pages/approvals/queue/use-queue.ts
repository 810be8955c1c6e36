import { useEffect, useRef } from "react";
import { useMyDecisions } from "../../../workflow-parts/use-my-approvals.ts";
import { toDecisionText } from "../decision-link.tsx";
import { findFollowing, findPosition, type QueuePosition } from "./queue-position.ts";

export type Queue = QueuePosition & {
  count: number;
  /** What opens when this one is decided. */
  following: string | null;
};

/** The place of a decision among those that the user may take now. `id` is from `toDecisionText`. */
export function useQueue(id: string): Queue {
  const queue = useMyDecisions().map(toDecisionText);
  const last = useRef(0);
  const position = findPosition(queue, id, last.current);
  const { at } = position;
  useEffect(() => {
    if (at !== null) last.current = at;
  }, [at]);
  return { ...position, count: queue.length, following: findFollowing(queue, id, last.current) };
}
