import type { RowSettings } from "@hub/contract/row-settings.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { readAgain } from "../../api/read-again.ts";
import { toIssues } from "../../api/to-issues.ts";
import { useApi, useApiClient } from "../../api/use-api.ts";
import {
  type Draft,
  type FormField,
  findOtherChanges,
  findTyped,
  type OtherChange,
  toSavedValues,
  untype,
} from "../../form/field-form.ts";
import type { FormHost, SaveState } from "../../form/form-host.ts";

/** How often the page looks for changes of others. */
const watchMs = 10_000;

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

type Sending = { row: string; version: number };

/**
 * The settings of a row while they are edited. What was typed stays when others change the row; the
 * page says what they changed. Saves go one after the other, each on the latest version.
 */
export function useRowForm(row: string, isOn: boolean): RowForm {
  const api = useApiClient();
  const queries = useQueryClient();
  const params = { row };
  const reading = useApi(
    "GET /manager/api/rows/{row}/settings",
    { params },
    { isOn, everyMs: watchMs },
  );
  const [settings, setSettings] = useState<RowSettings | null>(null);
  const [draft, setDraft] = useState<Draft>({});
  const [saves, setSaves] = useState<Record<string, SaveState>>({});
  const [issues, setIssues] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [changes, setChanges] = useState<OtherChange[]>([]);
  const [isSaving, setSaving] = useState(false);
  // Callbacks that wait for the server read the latest values.
  const known = useRef<RowSettings | null>(null);
  const typed = useRef<Draft>({});
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  const onDraft = useCallback((change: (draft: Draft) => Draft) => {
    typed.current = change(typed.current);
    setDraft(typed.current);
  }, []);
  /** Takes a newer reading. `isOwn` says that only this page can have changed the row. */
  const accept = useCallback((next: RowSettings, isOwn: boolean) => {
    const before = known.current;
    if (before !== null && next.version < before.version) return;
    known.current = next;
    setSettings(next);
    if (before === null || isOwn) return;
    const found = findOtherChanges(before.groups, next.groups, typed.current);
    if (found.length > 0) {
      const keys = new Set(found.map(({ key }) => key));
      setChanges((all) => [...all.filter(({ key }) => !keys.has(key)), ...found]);
    }
  }, []);

  const isBusy = useRef(false);
  const { data } = reading;
  useEffect(() => {
    // A reading that began before this page's own save may be older or newer than its answer.
    if (data !== undefined && !isBusy.current) accept(data, false);
  }, [data, accept]);

  const read = useCallback(
    () => api.call("GET /manager/api/rows/{row}/settings", { params: { row } }),
    [api, row],
  );
  /** Sends a change on the latest version; on a conflict reads what others changed. */
  const send = useCallback(
    (
      work: (sending: Sending) => Promise<RowSettings>,
      mayRepeat: (found: OtherChange[]) => boolean,
    ) => {
      const attempt = async (isFirst: boolean): Promise<void> => {
        const before = known.current;
        if (before === null) return;
        try {
          accept(await work({ row, version: before.version }), true);
        } catch (thrown) {
          const error = asApiError(thrown);
          if (error.code !== "conflict") throw error;
          const next = await read();
          const found = findOtherChanges(before.groups, next.groups, typed.current);
          accept(next, false);
          if (!isFirst || !mayRepeat(found)) throw error;
          await attempt(false);
        }
      };
      const next = queue.current.then(async () => {
        isBusy.current = true;
        try {
          await attempt(true);
        } finally {
          isBusy.current = false;
        }
        void readAgain(queries, [
          "GET /manager/api/rows/{row}",
          "GET /manager/api/rows/{row}/settings",
          "GET /manager/api/rows/{row}/connection",
          "GET /manager/api/rows",
        ]);
      });
      queue.current = next.catch(() => {});
      return next;
    },
    [accept, queries, read, row],
  );

  const mark = useCallback((key: string, state: SaveState | null) => {
    setSaves(({ [key]: _, ...others }) => (state === null ? others : { ...others, [key]: state }));
  }, []);
  const note = useCallback((key: string, message: string | null) => {
    setIssues(({ [key]: _, ...others }) =>
      message === null ? others : { ...others, [key]: message },
    );
  }, []);

  const host = useMemo<FormHost>(() => {
    const saveOne = async (key: string, work: (sending: Sending) => Promise<RowSettings>) => {
      mark(key, "saving");
      try {
        await send(work, (found) => found.every((change) => change.key !== key));
        mark(key, "saved");
        note(key, null);
        return true;
      } catch (thrown) {
        mark(key, null);
        const error = asApiError(thrown);
        note(key, toIssues(error)[key] ?? error.message);
        return false;
      }
    };
    const save = async ({ key }: FormField, text: string) => {
      const isDone = await saveOne(key, ({ row, version }) =>
        api.call("PUT /manager/api/rows/{row}/fields/{field}", {
          params: { row, field: key },
          body: { value: text, version },
        }),
      );
      if (!isDone) return;
      onDraft((all) => (findTyped(all, key) === text ? untype(all, key) : all));
    };
    return {
      version: 0,
      save: (field, text) => void save(field, text),
      regenerate: ({ key }) =>
        void saveOne(key, ({ row, version }) =>
          api.call("POST /manager/api/rows/{row}/fields/{field}/generate", {
            params: { row, field: key },
            body: { version },
          }),
        ).then((isDone) => isDone && onDraft((all) => untype(all, key))),
      lookUp: (source, q) =>
        api.call("GET /manager/api/rows/{row}/lookup", { params: { row }, query: { source, q } }),
      async widget({ key }, _, click) {
        const version = known.current?.version;
        const answer = await api.call("POST /manager/api/rows/{row}/fields/{field}/widget", {
          params: { row, field: key },
          body: { ...click, ...(click && version !== undefined && { version }) },
        });
        const saved = answer.saved ?? [];
        if (saved.length > 0) {
          accept(await read(), true);
          for (const one of saved) mark(one, "saved");
          onDraft((all) => saved.reduce(untype, all));
          void readAgain(queries, ["GET /manager/api/rows/{row}"]);
        }
        return answer;
      },
    };
  }, [accept, api, mark, note, onDraft, queries, read, row, send]);

  const save = async () => {
    const values = toSavedValues(known.current?.groups ?? [], typed.current);
    setSaving(true);
    setFailure(null);
    setIssues({});
    try {
      await send(
        async ({ version }) => {
          await api.call("PATCH /manager/api/rows/{row}", {
            params: { row },
            body: { version, values },
          });
          return await read();
        },
        // Nothing that is shown here differs: the change was of another part of the row, or the save
        // before it, whose answer did not arrive.
        (found) => found.length === 0,
      );
      onDraft((all) =>
        Object.entries(values).reduce(
          (left, [key, text]) => (findTyped(left, key) === text ? untype(left, key) : left),
          all,
        ),
      );
      setChanges([]);
      setSaves(Object.fromEntries(Object.keys(values).map((key) => [key, "saved" as const])));
    } catch (thrown) {
      const error = asApiError(thrown);
      setIssues(toIssues(error));
      setFailure(
        error.code === "conflict"
          ? "Nothing was saved: the row was changed meanwhile. What you typed is kept. Look at the changes above, then save again."
          : error.message,
      );
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
    loading: { error: reading.error, retry: () => void reading.refetch() },
    draft,
    onDraft: (change) => {
      onDraft(change);
      for (const key of Object.keys(typed.current)) {
        if (typed.current[key] === draft[key]) continue;
        mark(key, null);
        // It saves itself again, so it is not among the unsaved values any more.
        if (isTable(key)) note(key, null);
      }
    },
    unsaved,
    issues,
    failure,
    changes,
    dismissChanges: () => setChanges([]),
    isSaving,
    save: () => void save(),
    discard() {
      onDraft((all) =>
        Object.fromEntries(Object.entries(all).filter(([key]) => isSelfSaving(key))),
      );
      setIssues({});
      setFailure(null);
      setChanges([]);
    },
    host: { ...host, version: settings?.version ?? 0, saves, hasUnsaved: unsaved.length > 0 },
  };
}
