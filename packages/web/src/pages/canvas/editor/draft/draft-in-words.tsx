import { useEffect, useState } from "react";
import { Explanation } from "../../../../workflow-parts/explanation.tsx";
import type { DraftEditor } from "./use-draft.ts";

type Props = { workflow: string; draft: DraftEditor; onGo: (id: string) => void };

/** The draft in words, again after each save. What is not saved yet is saved first. */
export function DraftInWords({ workflow, draft, onGo }: Props) {
  const { save, flush } = draft;
  const [saves, setSaves] = useState(0);
  const isSaved = save.kind === "saved";
  useEffect(() => void flush(), [flush]);
  useEffect(() => {
    if (isSaved) setSaves((before) => before + 1);
  }, [isSaved]);
  return <Explanation workflow={workflow} version="draft" revision={saves} onGo={onGo} />;
}
