import { HubError } from "../../errors.ts";

/** For an answer that has arrived and cannot wait for memory. */
export function toNoMemory(): HubError {
  return new HubError(
    "rate_limited",
    "Your running calls use all the memory for large answers. Wait until some of them have ended, or request less data at a time.",
    { detail: { retry_after_s: 1 } },
  );
}
