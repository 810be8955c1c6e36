import { HubError } from "../errors.ts";
import type { Log } from "../lib/create-log.ts";
import type { Tallies } from "../lib/tallies.ts";
import type { SignIn } from "./sign-in.ts";
import type { SingleSignOn } from "./sso/single-sign-on.ts";

type CountDeps = { signIn: SignIn; tallies: Pick<Tallies, "add"> };

/** Signing in, with the outcome of every attempt counted: a storm of refusals is an attack. */
export function countSignIns({ signIn, tallies }: CountDeps): SignIn {
  const count = (outcome: string) => tallies.add("hub_sign_ins_total", ["password", outcome]);
  return {
    ...signIn,
    async byPassword(given, visitor) {
      try {
        const token = await signIn.byPassword(given, visitor);
        count(token === null ? "refused" : "success");
        return token;
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
  tallies: Pick<Tallies, "add">;
  log: Pick<Log, "info">;
};

/** Single sign-on, counted likewise, with why somebody was refused in the log; not who, which is theirs. */
export function countSingleSignOn(deps: CountSsoDeps): SingleSignOn {
  const { singleSignOn, issuer, tallies, log } = deps;
  const count = (outcome: string) => tallies.add("hub_sign_ins_total", ["single_sign_on", outcome]);
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
