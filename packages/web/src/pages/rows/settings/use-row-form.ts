import type { RowSettings } from "@hub/contract/row-settings.ts";
import { useCallback, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../../api/api-error.ts";
import { toIssues } from "../../../api/to-issues.ts";
import { useApiClient } from "../../../api/use-api.ts";
import {
  type Draft,
  describeIssues,
  findTyped,
  type OtherChange,
  toSavedValues,
  untype,
} from "../../../form/field-form.ts";
import type { FormHost } from "../../../form/form-host.ts";
import { useFieldStates } from "./use-field-states.ts";
import { useLatestSettings } from "./use-latest-settings.ts";
import { useRowHost } from "./use-row-host.ts";

export type RowForm = {
  settings: RowSettings | null;
  /** The failure of reading the settings. */
  loading: { error: ApiError | null; retry: () => void };
  draft: Draft;
  onDraft: (change: (draft: Draft) => Draft) => void;
  /** Keys of typed values that only Save saves. */
  unsaved: string[];
  issues: Record<string, string>;
  failure: string | null;
  /** What others changed while the form was open. */
  changes: OtherChange[];
  dismissChanges: () => void;
  isSaving: boolean;
  save: () => void;
  discard: () => void;
  host: FormHost;
};

/**
 * The settings of a row while they are edited. What was typed stays when others change the row; the
 * page says what they changed. Saves go one after the other, each on the latest version.
 */
export function useRowForm(row: string, isOn: boolean): RowForm {
  const api = useApiClient();
  const [draft, setDraft] = useState<Draft>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  // Callbacks that wait for the server read the latest values.
  const typed = useRef<Draft>({});
  const onDraft = useCallback((change: (draft: Draft) => Draft) => {
    typed.current = change(typed.current);
    setDraft(typed.current);
  }, []);
  const latest = useLatestSettings(row, isOn, typed);
  const { settings, known, dismissChanges, send } = latest;
  const states = useFieldStates();
  const { saves, issues, mark, recordIssue, markSaved, setIssues } = states;
  const host = useRowHost(row, { latest, states, onDraft });

  const save = async () => {
    const values = toSavedValues(known.current?.groups ?? [], typed.current);
    setSaving(true);
    setFailure(null);
    setIssues({});
    try {
      await send(
        ({ version }) =>
          api.call("PATCH /manager/api/rows/{row}/settings", {
            params: { row },
            body: { version, values },
          }),
        // Nothing that is shown here differs: the change was of another part of the row, or the save
        // before it, whose answer did not arrive.
        (found) => found.length === 0,
      );
      onDraft((all) => untypeSaved(all, values));
      dismissChanges();
      markSaved(Object.keys(values));
    } catch (thrown) {
      const error = asApiError(thrown);
      const issues = toIssues(error);
      setIssues(issues);
      const named = describeIssues(known.current?.groups ?? [], issues) ?? error.message;
      setFailure(error.code === "conflict" ? conflictText : named);
    } finally {
      setSaving(false);
    }
  };

  const fields = settings?.groups.flatMap((group) => group.fields) ?? [];
  // Tables and pickers save themselves, until one is refused.
  const isTable = (key: string) => fields.some((one) => one.key === key && one.columns.length > 0);
  const isSelfSaving = (key: string) =>
    saves[key] === "saving" || (isTable(key) && !(key in issues));
  const unsaved = Object.keys(draft).filter((key) => !isSelfSaving(key));
  return {
    settings,
    loading: latest.loading,
    draft,
    onDraft: (change) => {
      onDraft(change);
      for (const key of Object.keys(typed.current)) {
        if (typed.current[key] === draft[key]) continue;
        mark(key, null);
        // It saves itself again, so it is not among the unsaved values any more.
        if (isTable(key)) recordIssue(key, null);
      }
    },
    unsaved,
    issues,
    failure,
    changes: latest.changes,
    dismissChanges,
    isSaving,
    save: () => void save(),
    discard() {
      onDraft((all) =>
        Object.fromEntries(Object.entries(all).filter(([key]) => isSelfSaving(key))),
      );
      setIssues({});
      setFailure(null);
      dismissChanges();
    },
    host: { ...host, version: settings?.version ?? 0, saves, hasUnsaved: unsaved.length > 0 },
  };
}

const conflictText =
  "Nothing was saved: the row was changed meanwhile. What you typed is kept. Look at the changes above, then save again.";

/** Without the values that are saved, unless they were typed anew since. */
function untypeSaved(draft: Draft, values: Record<string, string>): Draft {
  return Object.entries(values).reduce(
    (left, [key, text]) => (findTyped(left, key) === text ? untype(left, key) : left),
    draft,
  );
}
