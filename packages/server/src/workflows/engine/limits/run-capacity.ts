/** The limits of what the runs of a process use. */
export type CapacityLimits = {
  /** Runs at the same time. */
  runsMax: number;
  /** Of the events that they hold in memory. */
  bytesMax: number;
  /** Of the outputs that they hold in memory. */
  outputCharsMax: number;
};

/**
 * The capacity of a process for runs, shared between the owners of workflows. An owner may use as much as is
 * free: so one owner gets half of it, two get a third each, and there is always some for another one.
 */
export type RunCapacity = {
  /** How many more runs of all owners may begin. */
  count(): number;
  hasFor(ownerId: string): boolean;
  /** Owners who have their share. */
  listFull(): string[];
  /** Reserves capacity for a run. */
  take(run: { ownerId: string; eventBytes: number }): RunPermit;
};

export type RunPermit = {
  /** Counts an output of the run. False if its owner has too many of them in memory now. */
  addOutput(chars: number): boolean;
  release(): void;
};

type Usage = { runs: number; bytes: number; outputChars: number };

export function createRunCapacity({
  runsMax,
  bytesMax,
  outputCharsMax,
}: CapacityLimits): RunCapacity {
  const owners = new Map<string, Usage>();
  const all: Usage = { runs: 0, bytes: 0, outputChars: 0 };

  const count = () => (all.bytes >= bytesMax ? 0 : Math.max(runsMax - all.runs, 0));
  const isFull = ({ runs, bytes }: Usage) =>
    runs > runsMax - all.runs || bytes > bytesMax - all.bytes;

  return {
    count,
    hasFor(ownerId) {
      const taken = owners.get(ownerId);
      return count() > 0 && (taken === undefined || !isFull(taken));
    },
    listFull: () => [...owners].flatMap(([ownerId, taken]) => (isFull(taken) ? ownerId : [])),
    take({ ownerId, eventBytes }) {
      const own = owners.get(ownerId) ?? { runs: 0, bytes: 0, outputChars: 0 };
      owners.set(ownerId, own);
      const add = (runs: number, bytes: number, outputChars: number) => {
        for (const taken of [own, all]) {
          taken.runs += runs;
          taken.bytes += bytes;
          taken.outputChars += outputChars;
        }
      };
      let outputs = 0;
      add(1, eventBytes, 0);
      return {
        addOutput(chars) {
          outputs += chars;
          add(0, 0, chars);
          return own.outputChars <= outputCharsMax - all.outputChars;
        },
        release() {
          add(-1, -eventBytes, -outputs);
          if (own.runs === 0) owners.delete(ownerId);
        },
      };
    },
  };
}
