import { HubError } from "../../errors.ts";
import { toStoreError } from "./postgres-errors.ts";

/** Longer than any statement of the hub; clients still wait for the answer then. */
export const answerMsMax = 15_000;

/** What the database answers, or `unavailable` after some time. Failures are converted. */
export async function awaitAnswer<T>(
  answer: PromiseLike<T>,
  msMax: number,
  onSilence: () => void = () => {},
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    onSilence();
    reject(refuseSilence());
  }, msMax);
  try {
    return await Promise.race([answer, late]);
  } catch (err) {
    throw toStoreError(err);
  } finally {
    clearTimeout(timer);
  }
}

export function refuseSilence(): HubError {
  return new HubError("unavailable", "The hub's database does not answer. Try again in a moment.");
}
