import { useMemo, useState, useSyncExternalStore } from "react";
import type { DraftEditor } from "../draft/use-draft.ts";
import { type ItemProblem, listItemProblems } from "./draft-problems.ts";
import { createUnreadTexts, listUnreadProblems, type UnreadTexts } from "./unread-texts.ts";

type FoundProblems = {
  /** What is wrong with the draft, and what is typed in it and gives no value. */
  problems: readonly ItemProblem[];
  unread: UnreadTexts;
  firstUnread: ItemProblem | undefined;
};

/** Follows what is wrong with a draft. */
export function useProblems({ body, checked }: DraftEditor): FoundProblems {
  const [unread] = useState(createUnreadTexts);
  const texts = useSyncExternalStore(unread.subscribe, unread.list);
  const unreadProblems = useMemo(() => listUnreadProblems(body, texts), [body, texts]);
  const problems = useMemo(
    () => [...unreadProblems, ...listItemProblems(checked)],
    [checked, unreadProblems],
  );
  return { problems, unread, firstUnread: unreadProblems[0] };
}
