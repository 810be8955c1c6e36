import type { RowSettings } from "@hub/contract/row-settings.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { asApiError } from "../../../api/api-error.ts";
import { readAgain } from "../../../api/read-again.ts";
import { toIssues } from "../../../api/to-issues.ts";
import { useApiClient } from "../../../api/use-api.ts";
import { type Draft, type FormField, findTyped, untype } from "../../../form/field-form.ts";
import type { FormHost } from "../../../form/form-host.ts";
import type { FieldStates } from "./use-field-states.ts";
import type { LatestSettings, Sending } from "./use-latest-settings.ts";

type Parts = {
  latest: LatestSettings;
  states: FieldStates;
  onDraft: (change: (draft: Draft) => Draft) => void;
};

/** What the fields of a row ask of the server: to save or generate their value, look-ups and widgets. */
export function useRowHost(row: string, { latest, states, onDraft }: Parts): FormHost {
  const api = useApiClient();
  const queries = useQueryClient();
  const { known, accept, read, send } = latest;
  const { mark, recordIssue } = states;
  const saveOne = useCallback(
    async (key: string, work: (sending: Sending) => Promise<RowSettings>) => {
      mark(key, "saving");
      try {
        await send(work, (found) => found.every((change) => change.key !== key));
        mark(key, "saved");
        recordIssue(key, null);
        return true;
      } catch (thrown) {
        mark(key, null);
        const error = asApiError(thrown);
        recordIssue(key, toIssues(error)[key] ?? error.message);
        return false;
      }
    },
    [mark, recordIssue, send],
  );
  return useMemo<FormHost>(() => {
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
  }, [accept, api, known, mark, onDraft, queries, read, row, saveOne]);
}
