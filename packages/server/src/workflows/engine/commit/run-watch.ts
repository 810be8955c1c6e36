/** Wakes those who wait for a run in this process. */
export type RunWatch = {
  /** Calls `onChange` after commits of the run. Returns a function that ends this. */
  subscribe(runId: string, onChange: () => void): () => void;
  notify(runId: string): void;
  /** The watched runs: those of other processes are looked up from time to time. */
  list(): string[];
};

export function createRunWatch(): RunWatch {
  const watchers = new Map<string, Set<() => void>>();
  return {
    subscribe(runId, onChange) {
      const known = watchers.get(runId) ?? new Set();
      watchers.set(runId, known.add(onChange));
      return () => {
        known.delete(onChange);
        if (known.size === 0 && watchers.get(runId) === known) watchers.delete(runId);
      };
    },
    notify(runId) {
      for (const onChange of watchers.get(runId) ?? []) onChange();
    },
    list: () => [...watchers.keys()],
  };
}
