import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { CanvasSearch } from "../canvas-search.ts";
import type { ItemLook } from "../graph/flow.ts";
import { useShownRun } from "../run/use-shown-run.ts";
import type { ItemProblem } from "./problems/draft-problems.ts";
import { worstOf } from "./problems/draft-problems.ts";

const noLook: ItemLook = { state: null, note: null, problem: null };

/** How items look: their problems, and the states of the run that the address names. */
export function useRunLooks(workflow: string, problems: readonly ItemProblem[]) {
  const search = useSearch({ from: "/workflows/$workflow/edit" });
  const navigate = useNavigate({ from: "/workflows/$workflow/edit" });
  const runId = search.run ?? null;
  const { shown } = useShownRun(workflow, runId);
  const ofRun = shown?.toLook;
  const toLook = useCallback(
    (id: string): ItemLook => ({ ...noLook, ...ofRun?.(id), problem: worstOf(problems, id) }),
    [problems, ofRun],
  );
  const showRun = (run: string | undefined) =>
    void navigate({ to: ".", search: (before: CanvasSearch) => ({ ...before, run }) });
  return { runId, shown, showRun, toLook };
}
