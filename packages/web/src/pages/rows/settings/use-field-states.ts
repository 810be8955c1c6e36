import { useCallback, useState } from "react";
import type { SaveState } from "../../../form/form-host.ts";

export type FieldStates = {
  saves: Record<string, SaveState>;
  issues: Record<string, string>;
  /** Shows how far the save of a field is. */
  mark: (key: string, state: SaveState | null) => void;
  /** Shows what is wrong with a field. */
  recordIssue: (key: string, message: string | null) => void;
  /** These fields were saved, and no other. */
  markSaved: (keys: readonly string[]) => void;
  setIssues: (issues: Record<string, string>) => void;
};

/** What the form says beside each field, by the field's key. */
export function useFieldStates(): FieldStates {
  const [saves, setSaves] = useState<Record<string, SaveState>>({});
  const [issues, setIssues] = useState<Record<string, string>>({});
  const mark = useCallback((key: string, state: SaveState | null) => {
    setSaves(({ [key]: _, ...others }) => (state === null ? others : { ...others, [key]: state }));
  }, []);
  const recordIssue = useCallback((key: string, message: string | null) => {
    setIssues(({ [key]: _, ...others }) =>
      message === null ? others : { ...others, [key]: message },
    );
  }, []);
  const markSaved = useCallback((keys: readonly string[]) => {
    setSaves(Object.fromEntries(keys.map((key) => [key, "saved" as const])));
  }, []);
  return { saves, issues, mark, recordIssue, markSaved, setIssues };
}
