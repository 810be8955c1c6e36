import { useEffect, useRef } from "react";
import { useMyApprovals } from "../../../workflow-parts/use-my-approvals.ts";
import { findFollowing, findPosition, type QueuePosition } from "./queue-position.ts";

export type Queue = QueuePosition & {
  count: number;
  /** What opens when this one is decided. */
  following: string | null;
};

/** The place of an approval among those that the user may decide now. */
export function useQueue(id: string): Queue {
  const queue = useMyApprovals().map((approval) => approval.id);
  const last = useRef(0);
  const position = findPosition(queue, id, last.current);
  const { at } = position;
  useEffect(() => {
    if (at !== null) last.current = at;
  }, [at]);
  return { ...position, count: queue.length, following: findFollowing(queue, id, last.current) };
}
