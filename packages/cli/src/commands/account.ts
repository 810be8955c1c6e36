import type { KnownAccount } from "@hub/contract/account.ts";
import { command, group } from "../declare/command.ts";
import { argument, findUserId, requiredOption } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";

const loadAccounts = () => import("@hub/server/services/accounts/known-accounts.ts");

export const define = group(
  {
    about:
      "An account of a user in a row is used in this user's calls alone. Its label and its secrets are not shown here.",
    examples: ["account list --user ada@example.com", "account remove 3f2a9c"],
  },
  [
    command("list", "list the accounts of a user", {
      takes: { user: requiredOption("<email>", "whose accounts", findUserId) },
      does: async ({ services }, { user }) =>
        (await loadAccounts()).listKnownAccounts(services, user),
      shows: table<KnownAccount>(
        [
          "id",
          ["row", "row_label"],
          "kind",
          ["hosts", ({ hosts }) => hosts.join(", ")],
          ["connected", "connected_at"],
          ["last used", ({ used_at }) => used_at ?? "never"],
          ["problem", ({ problem }) => problem ?? ""],
        ],
        "The user has no accounts.",
      ),
    }),
    command("remove", "remove an account of a user; its next call is refused", {
      takes: {
        id: argument(
          "<id>",
          "id of the account, or its first six characters or more",
          ({ findAccountId }, typed) => findAccountId(typed),
        ),
      },
      does: async ({ services, actor }, { id }) =>
        (await loadAccounts()).removeKnownAccount(services, actor, id),
      shows: ({ id }: { id: string }) => `Removed the account ${id}.`,
    }),
  ],
);
