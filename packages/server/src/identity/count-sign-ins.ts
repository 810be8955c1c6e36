import { HubError } from "../errors.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Metrics, SignInOutcome } from "../lib/metrics/metrics.ts";
import type { SignIn } from "./sign-in.ts";
import type { SingleSignOn } from "./sso/single-sign-on.ts";

type CountDeps = { signIn: SignIn; metrics: Pick<Metrics, "countSignIn"> };

/** Counts the outcome of every sign-in: many refusals indicate an attack. */
export function countSignIns({ signIn, metrics }: CountDeps): SignIn {
  const count = (outcome: SignInOutcome) => metrics.countSignIn("password", outcome);
  return {
    ...signIn,
    async byPassword(given, visitor) {
      try {
        const entered = await signIn.byPassword(given, visitor);
        count(entered === null ? "refused" : "success");
        return entered;
      } catch (failure) {
        count("failed");
        throw failure;
      }
    },
  };
}

type CountSsoDeps = {
  singleSignOn: SingleSignOn;
  issuer: string;
  metrics: Pick<Metrics, "countSignIn">;
  log: Pick<Log, "info">;
};

/** Counts single sign-on the same way, and logs the reason of a refusal without personal data. */
export function countSingleSignOn(deps: CountSsoDeps): SingleSignOn {
  const { singleSignOn, issuer, metrics, log } = deps;
  const count = (outcome: SignInOutcome) => metrics.countSignIn("single_sign_on", outcome);
  return {
    ...singleSignOn,
    async finish(...given) {
      try {
        const finished = await singleSignOn.finish(...given);
        count("success");
        return finished;
      } catch (failure) {
        const isRefusal = failure instanceof HubError && failure.code === "forbidden";
        count(isRefusal ? "refused" : "failed");
        if (isRefusal) {
          const { reason = "not_vouched_for" } = failure.detail;
          log.info({ issuer, reason }, "a single sign-on was refused");
        }
        throw failure;
      }
    },
  };
}
