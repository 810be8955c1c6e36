import { useEffect, useState } from "react";
import type { ApiError } from "../../../api/api-error.ts";
import { useMe } from "../../../api/use-me.ts";
import type { Choice } from "./decision-buttons.tsx";

export type Ends = {
  /** Gets what to say of it when it waits no more and the next one may open. */
  onGone: (text: string) => void;
  /** Also after the user has gone on, when the card is there no more. */
  onFailed: (error: ApiError) => void;
};

type Sent<Item> = {
  item: Item;
  change: {
    error: ApiError | null;
    isPending: boolean;
    variables?: { body: { decision: Choice } } | undefined;
  };
  isOpen: boolean;
  /** The state in words. */
  stateName: string;
  decidedBy: string | null;
  onGone: Ends["onGone"];
  removeComment: () => void;
};

/** What is shown while a decision is sent, and what is said if another one was first. */
export function useSentDecision<Item>(sent: Sent<Item>) {
  const { item, isOpen, stateName, decidedBy: by, onGone, removeComment } = sent;
  const { error, isPending, variables } = sent.change;
  const { user } = useMe();
  // While it is sent, the card stays as it was decided on.
  const [kept, keep] = useState(item);
  const isTooLate = error !== null && !isOpen;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the answer says so.
  useEffect(() => {
    if (!isTooLate) return;
    // The hub has decided, and its answer was lost.
    if (by === user.email) {
      removeComment();
      return onGone(`${stateName}:`);
    }
    const word = stateName.toLowerCase();
    onGone(by === null ? `Too late, ${word}:` : `${by} was first, ${word}:`);
  }, [isTooLate]);
  return {
    shown: isPending ? kept : item,
    error,
    /** The decision that is under way. */
    sending: isPending ? (variables?.body.decision ?? null) : null,
    keep: () => keep(item),
  };
}
