import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../../api/api-error.ts";
import { readAgain } from "../../../api/read-again.ts";
import { useApiClient } from "../../../api/use-api.ts";
import type { Body } from "../graph/body.ts";
import { endStep, type History, record, redo, startHistory, undo } from "../graph/history.ts";

/** How long after the last change the draft is saved. */
const saveAfterMs = 2000;

/** What is wrong with a body, by the body that was checked. */
export type CheckedBody = { body: Body; problems: readonly WorkflowProblem[] };

/** Another save of the draft that this page has not seen. */
export type DraftConflict = {
  message: string;
  revision: number;
  savedBy: string;
  savedAt: string;
  /** From what this page has to what is stored. */
  difference: WorkflowDifference;
};

type SaveState =
  | { kind: "saved" }
  | { kind: "changed" }
  | { kind: "saving" }
  | { kind: "failed"; error: ApiError }
  | { kind: "conflict"; conflict: DraftConflict };

/** Changes a body. The same body means that nothing changes. */
export type Change = (body: Body) => Body;

/** The draft of a workflow while it is edited: its history, and saving after the last change. */
export function useDraft(workflow: WorkflowDetail, body: Body) {
  const api = useApiClient();
  const queries = useQueryClient();
  const [history, setHistory] = useState<History>(() => startHistory(body));
  const [save, setSave] = useState<SaveState>({ kind: "saved" });
  const [checked, setChecked] = useState<CheckedBody>({ body, problems: [] });
  const params = useRef({ workflow: workflow.id });
  const revision = useRef(workflow.draft?.revision ?? 0);
  const latest = useRef(history);
  const stored = useRef(body);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const saving = useRef<Promise<boolean> | null>(null);
  const isStopped = useRef(false);

  const send = useCallback(async (): Promise<boolean> => {
    const sent = latest.current.now;
    setSave({ kind: "saving" });
    try {
      const { problems, ...detail } = await api.call(
        "PUT /manager/api/workflows/{workflow}/draft",
        {
          params: params.current,
          body: { revision: revision.current, body: sent },
        },
      );
      stored.current = sent;
      revision.current = detail.draft?.revision ?? revision.current;
      setChecked({ body: sent, problems });
      queries.setQueryData(
        ["GET /manager/api/workflows/{workflow}", { params: params.current }],
        detail,
      );
      // The addresses of webhooks are those of the saved draft.
      void readAgain(queries, ["GET /manager/api/workflows/{workflow}/webhooks"]);
      setSave({ kind: latest.current.now === sent ? "saved" : "changed" });
      return true;
    } catch (thrown) {
      const error = asApiError(thrown);
      const conflict = toConflict(error);
      isStopped.current = conflict !== null;
      setSave(conflict === null ? { kind: "failed", error } : { kind: "conflict", conflict });
      return false;
    }
  }, [api, queries]);

  /** Saves what is not saved yet. Resolves to whether everything is stored. */
  const flush = useCallback(async (): Promise<boolean> => {
    clearTimeout(timer.current);
    if (isStopped.current) return false;
    while (latest.current.now !== stored.current) {
      saving.current ??= send().finally(() => {
        saving.current = null;
      });
      if (!(await saving.current)) return false;
    }
    return true;
  }, [send]);

  const keep = useCallback(
    (next: History) => {
      if (next === latest.current) return;
      const isChanged = next.now !== latest.current.now;
      latest.current = next;
      setHistory(next);
      if (!isChanged || isStopped.current) return;
      setSave((before) => (before.kind === "saving" ? before : { kind: "changed" }));
      clearTimeout(timer.current);
      timer.current = setTimeout(flush, saveAfterMs);
    },
    [flush],
  );
  const apply = useCallback(
    (change: Change, subject: string | null = null) =>
      keep(record(latest.current, change(latest.current.now), subject)),
    [keep],
  );

  // What is not saved when the page is left is saved then; a closed window asks first.
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (latest.current.now !== stored.current) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("beforeunload", ask);
      void flush();
    };
  }, [flush]);

  const check = useCallback(async () => {
    const body = latest.current.now;
    const { problems } = await api.call("POST /manager/api/workflows/{workflow}/validate", {
      params: params.current,
      body: { body },
    });
    setChecked({ body, problems });
  }, [api]);

  return {
    body: history.now,
    save,
    checked,
    /** Validates what is drawn, without saving it. */
    check,
    apply,
    flush,
    endStep: useCallback(() => keep(endStep(latest.current)), [keep]),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: () => keep(undo(latest.current)),
    redo: () => keep(redo(latest.current)),
    /** Saves this page's body over the newer one. */
    keepMine: (conflict: DraftConflict) => {
      revision.current = conflict.revision;
      isStopped.current = false;
      return flush();
    },
    /** Shows the stored body. What was drawn here is one Undo away. */
    takeTheirs: (detail: WorkflowDetail, theirs: Body) => {
      revision.current = detail.draft?.revision ?? revision.current;
      isStopped.current = false;
      stored.current = theirs;
      keep(record(latest.current, theirs));
      clearTimeout(timer.current);
      setSave({ kind: "saved" });
      void check().catch(() => {});
    },
  };
}

export type DraftEditor = ReturnType<typeof useDraft>;

function toConflict({ code, message, detail }: ApiError): DraftConflict | null {
  const { revision, saved_by: savedBy, saved_at: savedAt, difference } = detail;
  if (code !== "conflict" || typeof revision !== "number") return null;
  return {
    ...{ message, revision },
    savedBy: String(Object(savedBy).email ?? "Someone"),
    savedAt: String(savedAt),
    // The route's conflict has it.
    difference: difference as WorkflowDifference,
  };
}
