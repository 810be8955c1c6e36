import type { RowSettings } from "@hub/contract/row-settings.ts";
import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, asApiError } from "../../../api/api-error.ts";
import { readAgain } from "../../../api/read-again.ts";
import { useApi, useApiClient } from "../../../api/use-api.ts";
import { type Draft, findOtherChanges, type OtherChange } from "../../../form/field-form.ts";

/** How often the page looks for changes of others. */
const watchMs = 10_000;

/** A change is sent on the version of the row that is known. */
export type Sending = { row: string; version: number };

/**
 * Sends a change on the latest version. After a conflict it reads what others changed, and sends once
 * more if `mayRepeat` allows it.
 */
type Send = (
  work: (sending: Sending) => Promise<RowSettings>,
  mayRepeat: (found: OtherChange[]) => boolean,
) => Promise<void>;

export type LatestSettings = {
  settings: RowSettings | null;
  /** The same for callbacks that wait for the server. */
  known: RefObject<RowSettings | null>;
  /** The failure of reading the settings. */
  loading: { error: ApiError | null; retry: () => void };
  /** What others changed while the form was open. */
  changes: OtherChange[];
  dismissChanges: () => void;
  /** Takes a newer reading. `isOwn` says that only this page can have changed the row. */
  accept: (next: RowSettings, isOwn: boolean) => void;
  read: () => Promise<RowSettings>;
  send: Send;
};

/** The latest version of a row's settings, and the changes of them: one goes after the other. */
export function useLatestSettings(
  row: string,
  isOn: boolean,
  typed: RefObject<Draft>,
): LatestSettings {
  const api = useApiClient();
  const reading = useApi(
    "GET /manager/api/rows/{row}/settings",
    { params: { row } },
    { isOn, everyMs: watchMs },
  );
  const [settings, setSettings] = useState<RowSettings | null>(null);
  const [changes, setChanges] = useState<OtherChange[]>([]);
  const known = useRef<RowSettings | null>(null);
  const dismissChanges = useCallback(() => setChanges([]), []);
  const accept = useCallback(
    (next: RowSettings, isOwn: boolean) => {
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
    },
    [typed],
  );

  const read = useCallback(
    () => api.call("GET /manager/api/rows/{row}/settings", { params: { row } }),
    [api, row],
  );
  const attempt = useCallback<Send>(
    async (work, mayRepeat) => {
      const tryOnce = async (isFirst: boolean): Promise<void> => {
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
          await tryOnce(false);
        }
      };
      await tryOnce(true);
    },
    [accept, read, row, typed],
  );
  const { send, isBusy } = useSendQueue(attempt);
  const { data } = reading;
  useEffect(() => {
    // A reading that began before this page's own save may be older or newer than its answer.
    if (data !== undefined && !isBusy.current) accept(data, false);
  }, [data, accept, isBusy]);
  const loading = { error: reading.error, retry: () => void reading.refetch() };
  return { settings, known, loading, changes, dismissChanges, accept, read, send };
}

/** Saves go one after the other. After each, the pages that show the row are read again. */
function useSendQueue(attempt: Send): { send: Send; isBusy: RefObject<boolean> } {
  const queries = useQueryClient();
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const isBusy = useRef(false);
  const send = useCallback<Send>(
    (work, mayRepeat) => {
      const next = queue.current.then(async () => {
        isBusy.current = true;
        try {
          await attempt(work, mayRepeat);
        } finally {
          isBusy.current = false;
        }
        // The answer has the settings. What else shows the row is read when it is shown again.
        const later = ["GET /manager/api/rows/{row}/settings", "GET /manager/api/rows"] as const;
        for (const route of later) {
          void queries.invalidateQueries({ queryKey: [route], refetchType: "none" });
        }
        void readAgain(queries, [
          "GET /manager/api/rows/{row}",
          // Only rows that are connected by a sign-in, or with accounts, show it.
          "GET /manager/api/rows/{row}/connection",
        ]);
      });
      queue.current = next.catch(() => {});
      return next;
    },
    [attempt, queries],
  );
  return { send, isBusy };
}
