import { expect, test } from "bun:test";
import { shareEventLoop } from "./share-event-loop.ts";

/** Computations that take a time of a clock that they move. The order of events is recorded. */
function openSlices() {
  const order: string[] = [];
  let at = 0;
  const slices = shareEventLoop({
    now: () => at,
    async endSlice() {
      await new Promise((resolve) => setImmediate(resolve));
      order.push("others");
    },
  });
  const compute = (owner: string, name: string, ms: number) =>
    slices.run(owner, () => {
      at += ms;
      order.push(name);
      return name;
    });
  return { order, compute, slices };
}

test("Computations that take long together let other work happen in between", async () => {
  const { order, compute } = openSlices();
  const names = ["a", "b", "c", "d", "e"];
  const computed = await Promise.all(names.map((name) => compute("ann", name, 6)));
  expect(computed).toEqual(names);
  expect(order.slice(0, 7)).toEqual(["a", "b", "others", "c", "d", "others", "e"]);
});

test("The owners of runs alternate, so an owner with few computations does not wait for one with many", async () => {
  const { order, compute } = openSlices();
  const many = ["a1", "a2", "a3", "a4"].map((name) => compute("ann", name, 10));
  await Promise.all([...many, compute("bob", "b1", 10)]);
  expect(order.filter((name) => name !== "others")).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});

test("A computation that fails rejects, and those behind it go on", async () => {
  const { compute, slices } = openSlices();
  await compute("ann", "a", 10);
  const failing = slices.run("ann", () => {
    throw new Error("No");
  });
  await expect(failing).rejects.toThrow("No");
  expect(await compute("ann", "b", 1)).toBe("b");
});
