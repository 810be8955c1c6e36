import type { UserAccount } from "../../store/accounts/user-account.ts";

/** An account of the user who calls. */
export type OwnAccount = {
  kind: "own";
  id: string;
  label: string;
  /** Another text after its user has connected it again as who may be another person outside. Null if it is the same person for sure. */
  personId: string | null;
};

/** A sign-in whose person is known keeps its id only for the same person. Typed values, and other sign-ins, can be of anyone. */
export function toOwnAccount({
  id,
  label,
  kind,
  identity,
  tokensId,
  connectedAt,
}: Pick<
  UserAccount,
  "id" | "label" | "kind" | "identity" | "tokensId" | "connectedAt"
>): OwnAccount {
  // The tokens of a sign-in are replaced by each refresh.
  const signedIn = identity === null ? `${connectedAt}` : null;
  return { kind: "own", id, label, personId: kind === "token" ? tokensId : signedIn };
}
