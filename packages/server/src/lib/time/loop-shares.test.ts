import { expect, test } from "bun:test";
import { createLoopShares } from "./loop-shares.ts";

/** Shares of 100 steps a turn, and turns that the test makes. */
function open() {
  let endTurn = () => {};
  let turns = 0;
  const shares = createLoopShares({
    turnSteps: 100,
    yieldTurn: () =>
      new Promise((resolve) => {
        turns += 1;
        endTurn = resolve;
      }),
  });
  return {
    ...shares,
    countTurns: () => turns,
    async turn() {
      endTurn();
      for (let count = 0; count < 10; count += 1) await Promise.resolve();
    },
  };
}

test("Work beyond a turn's share waits for the next turn", async () => {
  const { take, turn } = open();
  expect(take("a", 60)).toBeNull();
  expect(take("a", 60)).toBeNull();
  let done = 0;
  for (let count = 0; count < 4; count += 1) {
    const promise = take("a", 60);
    expect(promise).not.toBeNull();
    promise?.then(() => {
      done += 1;
    });
  }
  const perTurn: number[] = [];
  while (done < 4) {
    const before = done;
    await turn();
    perTurn.push(done - before);
  }
  // The first turn pays for what was too much before.
  expect(perTurn).toEqual([2, 1, 1]);
});

test("Owners are served round-robin, however many portions one of them waits for", async () => {
  const { take, turn } = open();
  const order: string[] = [];
  take("hostile", 90);
  const wait = (owner: string) => take(owner, 90)?.then(() => order.push(owner));
  for (let count = 0; count < 6; count += 1) wait("hostile");
  wait("honest");
  for (let count = 0; count < 10; count += 1) await turn();
  expect(order.slice(0, 2).sort()).toEqual(["honest", "hostile"]);
  expect(order).toHaveLength(6);
});

test("One large piece of work is followed by at most four empty turns", async () => {
  const { take, turn } = open();
  take("a", 1_000_000);
  await turn();
  let begun = false;
  take("b", 1)?.then(() => {
    begun = true;
  });
  let turns = 0;
  while (!begun) {
    await turn();
    turns += 1;
  }
  expect(turns).toBe(5);
});

test("No turn is counted while there is nothing to do", async () => {
  const { take, turn, countTurns } = open();
  take("a", 50);
  for (let count = 0; count < 5; count += 1) await turn();
  expect(countTurns()).toBe(1);
  expect(take("a", 90)).toBeNull();
});

test("Work of a whole turn does not begin in a turn with other work", async () => {
  const { take, turn } = open();
  expect(take("a", 1)).toBeNull();
  let begun = false;
  take("b", 100)?.then(() => {
    begun = true;
  });
  await Promise.resolve();
  expect(begun).toBe(false);
  await turn();
  expect(begun).toBe(true);
});
