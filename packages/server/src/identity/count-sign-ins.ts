import type { Tallies } from "../lib/tallies.ts";
import type { SignIn } from "./sign-in.ts";

type CountDeps = { signIn: SignIn; tallies: Pick<Tallies, "add"> };

/** Signing in, with the outcome of every attempt counted: a storm of refusals is an attack. */
export function countSignIns({ signIn, tallies }: CountDeps): SignIn {
  const count = (outcome: string) => tallies.add("hub_sign_ins_total", [outcome]);
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
