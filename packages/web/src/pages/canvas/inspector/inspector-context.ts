import type { WorkflowRunDetail } from "@hub/contract/workflow-run.ts";
import { createContext, useContext } from "react";
import type { Change } from "../editor/draft/use-draft.ts";
import type { UnreadTexts } from "../editor/problems/unread-texts.ts";
import type { Samples } from "../expressions/find-completions.ts";
import type { Body, Item } from "../graph/body.ts";
import type { InsertTargets } from "./values/insert-targets.ts";

/** Changes the draft. Changes with one subject are one step of Undo. */
export type Apply = (change: Change, subject?: string | null) => void;

export type InspectorScope = {
  workflow: string;
  body: Body;
  item: Item;
  isTrigger: boolean;
  /** Names of the secrets that are set. */
  secrets: readonly string[];
  /** The run that is shown on the graph. */
  shown: string | null;
  /** The run whose values expressions are completed with and rendered with. */
  run: string | null;
  /** That run. Null before it is read, and without one. */
  last: WorkflowRunDetail | null;
  /** What expressions can read, with the values of that run. */
  samples: Samples;
  /** What was typed in fields and gives no value. */
  unread: UnreadTexts;
  /** Where a value of the tree goes. */
  targets: InsertTargets;
  /** The tree of values stands beside the fields. */
  isWide: boolean;
  /** Asks how the draft is run. */
  onRun: () => void;
};

export const InspectorContext = createContext<InspectorScope | null>(null);

/** What the fields of the inspector are about. */
export function useInspector(): InspectorScope {
  const scope = useContext(InspectorContext);
  if (scope === null) throw new Error("A field of the inspector is outside of it.");
  return scope;
}
