/**
 * Preloaded into the processes of tests: `expect(promise).resolves` and `.rejects` wait for the promise before the matcher runs.
 * Bun's own run the event loop inside the matcher. What settles the promise in a `setImmediate` is then noticed only at the next
 * event, often the timer of the garbage collector, and no time limit of the test ends the wait.
 */
import * as bunTest from "bun:test";

const { expect: expectNow } = bunTest;

type Matchers = Record<string, unknown>;
type Found = () => Matchers;

/** The matchers of a promise's outcome. Each is found again and called when the promise has settled. */
function waitFirst(promise: Promise<unknown>, find: Found): Matchers {
  return new Proxy<Matchers>(
    {},
    {
      get(_, name) {
        if (name === "not") return waitFirst(promise, () => find().not as Matchers);
        if (typeof name === "symbol" || name === "then") return undefined;
        return async (...args: unknown[]): Promise<void> => {
          await promise.then(ignore, ignore);
          const matchers = find();
          (matchers[name] as (...args: unknown[]) => void).apply(matchers, args);
        };
      },
    },
  );
}

const ignore = () => {};

function toWaiting(promise: Promise<unknown>, message: string | undefined): object {
  const now = expectNow(promise, message);
  return new Proxy(now, {
    get(_, name) {
      if (name === "resolves" || name === "rejects") {
        return waitFirst(promise, () => expectNow(promise, message)[name] as unknown as Matchers);
      }
      const found: unknown = Reflect.get(now, name, now);
      return typeof found === "function" ? found.bind(now) : found;
    },
  });
}

const expectLater = new Proxy(expectNow, {
  // Its getters work only on itself.
  get: (target, name) => Reflect.get(target, name, target),
  apply(_, __, [value, message]: [unknown, string?]) {
    return value instanceof Promise ? toWaiting(value, message) : expectNow(value, message);
  },
});

bunTest.mock.module("bun:test", () => ({ ...bunTest, expect: expectLater }));
