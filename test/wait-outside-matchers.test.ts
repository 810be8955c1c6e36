import { expect, test } from "bun:test";

test.each(["resolves", "rejects"] as const)("A matcher of .%s lets the test go on", async (how) => {
  const order: string[] = [];
  const promise = new Promise((resolve, reject) => {
    setImmediate(() => {
      order.push("settled");
      if (how === "resolves") resolve("done");
      else reject("done");
    });
  });
  const wait = expect(promise)[how].toBe("done");
  order.push("returned");
  await wait;
  expect(order).toEqual(["returned", "settled"]);
});

test("A matcher that waits fails if the promise settles otherwise, also inverted", async () => {
  const findMessage = (waiting: void | Promise<void>) =>
    Promise.resolve(waiting).then(
      () => "passed",
      (thrown: Error) => thrown.message,
    );
  const failing = (): Promise<unknown> => Promise.reject(new Error("no such row"));
  expect(await findMessage(expect(failing()).rejects.toThrow("no such row"))).toBe("passed");
  expect(await findMessage(expect(failing()).rejects.toThrow("other"))).toContain("no such row");
  expect(await findMessage(expect(failing()).rejects.not.toThrow("row"))).not.toBe("passed");
  expect(await findMessage(expect(failing()).rejects.not.toThrow("other"))).toBe("passed");
  expect(await findMessage(expect(failing()).resolves.toBe(1))).not.toBe("passed");
  expect(await findMessage(expect(Promise.resolve(1)).rejects.toThrow())).not.toBe("passed");
  expect(await findMessage(expect(Promise.resolve(1)).resolves.toBe(2))).not.toBe("passed");
});

test("Inverted partial matchers are those of Bun", () => {
  expect({ name: "ada" }).toEqual({ name: expect.not.stringContaining("bob") });
});
