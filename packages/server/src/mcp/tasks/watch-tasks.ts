import type { Timers } from "../../lib/time/timers.ts";
import type { PendingTasks } from "../../operations/ports.ts";

/** Sees changes of tasks, on whichever server they happen. */
export type TaskWatch = {
  /** Calls `onChange` after a change of one of these tasks, until the returned function is called. */
  watch(ids: readonly string[], onChange: (id: string) => void): () => void;
};

const checkEveryMs = 1000;
/** Asked about in one query. */
const portion = 500;

/** All who watch share the queries: one a second and `portion` tasks. */
export function createTaskWatch({
  tasks,
  timers,
}: {
  tasks: Pick<PendingTasks, "listStamps">;
  timers: Timers;
}): TaskWatch {
  const watched = new Map<string, Watched>();
  let isRunning = false;

  async function check(): Promise<void> {
    const ids = [...watched.keys()];
    for (let at = 0; at < ids.length; at += portion) {
      const asked = ids.slice(at, at + portion);
      const stamps = await tasks.listStamps(asked);
      for (const id of asked) report(watched.get(id), id, stamps.get(id) ?? null);
    }
  }

  function checkLater(): void {
    if (isRunning || watched.size === 0) return;
    isRunning = true;
    timers.after(checkEveryMs, () => {
      // A database that does not answer is asked again with the next round.
      check()
        .catch(() => {})
        .finally(() => {
          isRunning = false;
          checkLater();
        });
    });
  }

  return {
    watch(ids, onChange) {
      for (const id of ids) {
        const known: Watched = watched.get(id) ?? new Map();
        known.set(onChange, undefined);
        watched.set(id, known);
      }
      checkLater();
      return () => {
        for (const id of ids) {
          const known = watched.get(id);
          known?.delete(onChange);
          if (known?.size === 0) watched.delete(id);
        }
      };
    },
  };
}

/** By listener the stamp that it has heard of: undefined before its first check, null if there is no such task. */
type Watched = Map<(id: string) => void, string | null | undefined>;

/** The first check of each listener reports too: the task may have changed since its client has read it. */
function report(known: Watched | undefined, id: string, stamp: string | null): void {
  if (known === undefined) return;
  for (const [listener, heard] of known) {
    if (heard === stamp) continue;
    known.set(listener, stamp);
    listener(id);
  }
}
