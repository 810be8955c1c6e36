import { useCallback, useState } from "react";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import type { InspectorTab } from "../inspector/item-inspector.tsx";
import type { EditorDialog } from "./editor-dialogs.tsx";
import type { EditorList } from "./editor-panel.tsx";
import type { ItemProblem } from "./problems/draft-problems.ts";

/** Which dialog, tab of the inspector and list below the graph are open. */
export function useEditorParts(firstUnread: ItemProblem | undefined, goTo: (id: string) => void) {
  const toast = useToast();
  const [dialog, setDialog] = useState<EditorDialog | null>(null);
  const [tab, setTab] = useState<InspectorTab>("fields");
  const [bottom, setBottom] = useState<EditorList | null>(null);
  const closeDialog = useCallback(() => setDialog(null), []);
  /** The stored draft runs and is published: not without what was typed. */
  const openWhenRead = (name: "run" | "publish") => {
    if (firstUnread === undefined) return setDialog(name);
    toast({ kind: "error", text: `${firstUnread.id}: ${firstUnread.message}` });
    setBottom("problems");
    goTo(firstUnread.id ?? "");
  };

  return { dialog, setDialog, closeDialog, tab, setTab, bottom, setBottom, openWhenRead };
}
