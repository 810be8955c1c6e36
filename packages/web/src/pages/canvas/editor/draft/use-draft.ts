import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../../../api/api-error.ts";
import { readAgain } from "../../../../api/read-again.ts";
import { useApiClient } from "../../../../api/use-api.ts";
import type { Body } from "../../graph/body.ts";
import { endStep, type History, record, redo, startHistory, undo } from "../../graph/history.ts";

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

/** What this page has and what is stored, for callbacks that wait for the server. */
type Kept = {
  readonly params: { workflow: string };
  history: History;
  stored: Body;
  revision: number;
  /** Another save was found: nothing is sent before the user has chosen. */
  isStopped: boolean;
};

/** The draft of a workflow while it is edited: its history, and saving after the last change. */
export function useDraft(workflow: WorkflowDetail, body: Body) {
  const [history, setHistory] = useState<History>(() => startHistory(body));
  const [save, setSave] = useState<SaveState>({ kind: "saved" });
  const [checked, setChecked] = useState<CheckedBody>({ body, problems: [] });
  const kept = useRef<Kept>({
    params: { workflow: workflow.id },
    history,
    stored: body,
    revision: workflow.draft?.revision ?? 0,
    isStopped: false,
  });
  const send = useSend(kept, setSave, setChecked);
  const { flush, flushLater, forget } = useFlush(kept, send);
  useSaveOnLeave(kept, flush);
  const check = useCheck(kept, setChecked);

  const keep = useCallback(
    (next: History) => {
      const before = kept.current.history;
      if (next === before) return;
      kept.current.history = next;
      setHistory(next);
      if (next.now === before.now || kept.current.isStopped) return;
      setSave((state) => (state.kind === "saving" ? state : { kind: "changed" }));
      flushLater();
    },
    [flushLater],
  );
  const apply = useCallback(
    (change: Change, subject: string | null = null) => {
      const before = kept.current.history;
      keep(record(before, change(before.now), subject));
    },
    [keep],
  );

  return {
    body: history.now,
    save,
    checked,
    /** Validates what is drawn, without saving it. */
    check,
    apply,
    flush,
    endStep: useCallback(() => keep(endStep(kept.current.history)), [keep]),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: () => keep(undo(kept.current.history)),
    redo: () => keep(redo(kept.current.history)),
    /** Saves this page's body over the newer one. */
    keepMine: (conflict: DraftConflict) => {
      kept.current.revision = conflict.revision;
      kept.current.isStopped = false;
      return flush();
    },
    /** Shows the stored body. What was drawn here is one Undo away. */
    takeTheirs: (detail: WorkflowDetail, theirs: Body) => {
      kept.current.revision = detail.draft?.revision ?? kept.current.revision;
      kept.current.isStopped = false;
      kept.current.stored = theirs;
      keep(record(kept.current.history, theirs));
      forget();
      setSave({ kind: "saved" });
      void check().catch(() => {});
    },
  };
}

/** Sends what this page has. Resolves to whether it is stored. */
function useSend(
  kept: RefObject<Kept>,
  setSave: (state: SaveState) => void,
  setChecked: (checked: CheckedBody) => void,
) {
  const api = useApiClient();
  const queries = useQueryClient();
  return useCallback(async (): Promise<boolean> => {
    const { params, revision } = kept.current;
    const sent = kept.current.history.now;
    setSave({ kind: "saving" });
    try {
      const { problems, ...detail } = await api.call(
        "PUT /manager/api/workflows/{workflow}/draft",
        { params, body: { revision, body: sent } },
      );
      kept.current.stored = sent;
      kept.current.revision = detail.draft?.revision ?? kept.current.revision;
      setChecked({ body: sent, problems });
      queries.setQueryData(["GET /manager/api/workflows/{workflow}", { params }], detail);
      // The addresses of webhooks and the pins are those of the saved draft.
      void readAgain(queries, [
        "GET /manager/api/workflows/{workflow}/webhooks",
        "GET /manager/api/workflows/{workflow}/pins",
      ]);
      setSave({ kind: kept.current.history.now === sent ? "saved" : "changed" });
      return true;
    } catch (thrown) {
      const error = asApiError(thrown);
      const conflict = toConflict(error);
      kept.current.isStopped = conflict !== null;
      setSave(conflict === null ? { kind: "failed", error } : { kind: "conflict", conflict });
      return false;
    }
  }, [api, queries, kept, setSave, setChecked]);
}

/** Saves go one after the other: at once, or a while after the last change. */
function useFlush(kept: RefObject<Kept>, send: () => Promise<boolean>) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const saving = useRef<Promise<boolean> | null>(null);
  const forget = useCallback(() => clearTimeout(timer.current), []);
  /** Saves what is not saved yet. Resolves to whether everything is stored. */
  const flush = useCallback(async (): Promise<boolean> => {
    forget();
    if (kept.current.isStopped) return false;
    while (kept.current.history.now !== kept.current.stored) {
      saving.current ??= send().finally(() => {
        saving.current = null;
      });
      if (!(await saving.current)) return false;
    }
    return true;
  }, [kept, send, forget]);
  const flushLater = useCallback(() => {
    forget();
    timer.current = setTimeout(flush, saveAfterMs);
  }, [flush, forget]);
  return { flush, flushLater, forget };
}

/** What is not saved when the page is left is saved then; a closed window asks first. */
function useSaveOnLeave(kept: RefObject<Kept>, flush: () => Promise<boolean>): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (kept.current.history.now !== kept.current.stored) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => {
      window.removeEventListener("beforeunload", ask);
      void flush();
    };
  }, [kept, flush]);
}

function useCheck(kept: RefObject<Kept>, setChecked: (checked: CheckedBody) => void) {
  const api = useApiClient();
  return useCallback(async () => {
    const { params, history } = kept.current;
    const body = history.now;
    const { problems } = await api.call("POST /manager/api/workflows/{workflow}/validate", {
      params,
      body: { body },
    });
    setChecked({ body, problems });
  }, [api, kept, setChecked]);
}

export type DraftEditor = ReturnType<typeof useDraft>;

function toConflict({ code, message, detail }: ApiError): DraftConflict | null {
  const { revision, saved_by: savedBy, saved_at: savedAt, difference } = detail;
  if (code !== "conflict" || typeof revision !== "number") return null;
  return {
    message,
    revision,
    savedBy: String(Object(savedBy).email ?? "Someone"),
    savedAt: String(savedAt),
    // The route's conflict has it.
    difference: difference as WorkflowDifference,
  };
}
