/** Protects: what was approved of an account is not run as another person outside. */
import { expect, test } from "bun:test";
import { toOwnAccount } from "./own-account.ts";

const account = { id: "one", label: "work", tokensId: "first", connectedAt: 1 };
const refreshed = { tokensId: "second" };
const connectedAgain = { tokensId: "second", connectedAt: 2 };

test.each<[string, "token" | "oauth", string | null, { afterRefresh: boolean; after: boolean }]>([
  ["of typed values", "token", null, { afterRefresh: true, after: true }],
  [
    "of a sign-in of a person who is not known",
    "oauth",
    null,
    { afterRefresh: false, after: true },
  ],
  ["of a sign-in of a known person", "oauth", "ada", { afterRefresh: false, after: false }],
])("Whether an account %s may be of another person after it was refreshed or connected again", (_, kind, identity, expected) => {
  const toPerson = (change: object) =>
    toOwnAccount({ ...account, kind, identity, ...change }).personId;
  const isOther = (change: object) => toPerson(change) !== toPerson({});
  expect({ afterRefresh: isOther(refreshed), after: isOther(connectedAgain) }).toEqual(expected);
});
