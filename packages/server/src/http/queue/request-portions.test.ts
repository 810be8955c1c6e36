import { expect, test } from "bun:test";
import { createPortions } from "./request-portions.ts";

test("Of a thousand that arrive at once, at most 64 begin in each turn of the event loop, in their order", async () => {
  const portions = createPortions();
  const order: number[] = [];
  const turns: number[] = [];
  let inTurn = 0;
  let isOver = false;
  const count = () => {
    turns.push(inTurn);
    inTurn = 0;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const begin = async (number: number) => {
    const turn = portions.begin();
    if (turn !== null) await turn;
    inTurn += 1;
    order.push(number);
  };
  await Promise.all(Array.from({ length: 1_000 }, (_, number) => begin(number)));
  isOver = true;
  expect(Math.max(...turns)).toBeLessThanOrEqual(64);
  expect(order).toEqual([...order].sort((a, b) => a - b));
});
