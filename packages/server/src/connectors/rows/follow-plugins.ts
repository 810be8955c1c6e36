/** Callers with the same revision share one sync; after a failure the next caller syncs again. */
export function createFollower(follow: () => Promise<unknown>) {
  let followed = -1;
  let underWay: { revision: number; look: Promise<unknown> } | null = null;
  return {
    isAt: (revision: number) => revision <= followed,
    forget() {
      followed = -1;
      underWay = null;
    },
    async follow(revision: number): Promise<void> {
      // A sync that started at an earlier revision may have missed this change.
      if (underWay === null || underWay.revision < revision)
        underWay = { revision, look: follow() };
      const mine = underWay;
      try {
        await mine.look;
        followed = Math.max(followed, mine.revision);
      } finally {
        if (underWay === mine) underWay = null;
      }
    },
  };
}
