/** Collects when tokens were last used, so that a call does not cost a write. */
export type TokenUses = {
  record(tokenId: string, at: number): void;
  /** Whether a token was used for the first time in this process, so that its user may wait to see it. */
  hasFirst(): boolean;
  /** The uses since the last call of this function. */
  take(): Array<{ id: string; at: number }>;
};

const seenMax = 10_000;

export function createTokenUses(): TokenUses {
  let uses = new Map<string, number>();
  let hasFirst = false;
  const seen = new Set<string>();
  return {
    record: (tokenId, at) => {
      uses.set(tokenId, at);
      if (seen.has(tokenId)) return;
      // Ended tokens stay in it until then.
      if (seen.size >= seenMax) seen.clear();
      seen.add(tokenId);
      hasFirst = true;
    },
    hasFirst: () => hasFirst,
    take() {
      const taken = uses;
      uses = new Map();
      hasFirst = false;
      return [...taken].map(([id, at]) => ({ id, at }));
    },
  };
}
