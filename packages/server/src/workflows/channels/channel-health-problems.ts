/** Why this process cannot store the events of channels now. Kept in memory, because the disk may be full. */
export type ChannelHealthProblems = {
  record(rowId: string, reason: string): void;
  /** The events of the channel are stored again. */
  end(rowId: string): void;
  find(rowId: string): string | null;
};

export function createChannelHealthProblems(): ChannelHealthProblems {
  const reasons = new Map<string, string>();
  return {
    record: (rowId, reason) => void reasons.set(rowId, reason),
    end: (rowId) => void reasons.delete(rowId),
    find: (rowId) => reasons.get(rowId) ?? null,
  };
}
