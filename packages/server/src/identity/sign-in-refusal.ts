import { HubError } from "../errors.ts";
import { type SignInLimit, signInRules } from "./sign-in-throttle.ts";

const { failuresMax: tries } = signInRules.pair;
const { failuresMax: codes } = signInRules.factor;
const whatHappened: Record<SignInLimit, string> = {
  pair: `There were ${tries} wrong passwords for this account from your network.`,
  browser: `There were ${tries} wrong passwords for this account in this browser.`,
  session: `There were ${tries} wrong passwords in this session.`,
  account: "There were many wrong passwords for this account from other places.",
  network: "There were many wrong passwords from your network.",
  factor: `There were ${codes} wrong codes for this account.`,
  factor_day: "There were many wrong codes for this account today.",
  factor_browser: "There were many wrong codes for this account in this browser.",
  factor_session: "There were many wrong codes in this session.",
};

const otherWays = " Use a passkey or a recovery code, or ask an admin to end the wait.";

/** Names the limit and the time to wait. The text is the same whether the account exists or not. */
export function toSignInRefusal({
  limit,
  waitMs,
}: {
  limit: SignInLimit;
  waitMs: number;
}): HubError {
  const seconds = Math.ceil(waitMs / 1000);
  const minutes = Math.ceil(waitMs / 60_000);
  const wait = seconds <= 90 ? toCount(seconds, "second") : toCount(minutes, "minute");
  const others: Partial<Record<SignInLimit, string>> = {
    pair: " Other networks, and browsers in which you signed in before, are not affected. An admin can end the wait.",
    browser: " An admin can end the wait.",
    session: " An admin can end the wait.",
    factor: otherWays,
    factor_day: otherWays,
    factor_browser: otherWays,
    factor_session: otherWays,
  };
  return new HubError(
    "rate_limited",
    `${whatHappened[limit]} Try again in ${wait}.${others[limit] ?? ""}`,
    { detail: { retry_after_s: seconds } },
  );
}

function toCount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
