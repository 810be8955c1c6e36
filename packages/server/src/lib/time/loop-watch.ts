/** Finds what outlasts a turn of the event loop. Most work ends before, and needs no timer then. */
export type TurnWatch = {
  /** Calls `outlast` once, in the turn after this one. The returned function prevents that. */
  enter(outlast: () => void): () => void;
};

export function createTurnWatch(): TurnWatch {
  const entered = new Set<() => void>();

  function endTurn(): void {
    const late = [...entered];
    entered.clear();
    for (const outlast of late) outlast();
  }

  return {
    enter(outlast) {
      // One callback for all of the turn.
      if (entered.size === 0) setImmediate(endTurn);
      entered.add(outlast);
      return () => entered.delete(outlast);
    },
  };
}
