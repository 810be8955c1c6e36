/** Collects when tokens were last used, so that a call does not cost a write. */
export type TokenUses = {
  note(tokenId: string, at: number): void;
  /** The uses since the last call of this function. */
  take(): Array<{ id: string; at: number }>;
};

export function createTokenUses(): TokenUses {
  let uses = new Map<string, number>();
  return {
    note: (tokenId, at) => {
      uses.set(tokenId, at);
    },
    take() {
      const taken = uses;
      uses = new Map();
      return [...taken].map(([id, at]) => ({ id, at }));
    },
  };
}
