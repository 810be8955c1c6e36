import type { CreatedToken, RotatedToken, Token } from "@hub/contract/token.ts";
import { command, group, list } from "../declare/command.ts";
import {
  argument,
  choice,
  findUserId,
  option,
  requiredOption,
  wholeNumber,
} from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { boundOptions, toBounds } from "../input/bounds.ts";

const loadRotation = () => import("@hub/server/services/users/rotate-token.ts");
const loadTokens = () => import("@hub/server/services/users/manage-tokens.ts");

export const define = group(
  {
    examples: [
      "token create --user ada@example.com --name laptop",
      "token create --user ada@example.com --name ci --scope manage --expires-in-days 90",
      "token create --user ada@example.com --name reader --operation Tracker/list_issues",
      "token rotate 3f2a9c --overlap-hours 1",
      "token revoke 3f2a9c",
    ],
  },
  [
    command("create", "create a token and print it once", {
      takes: {
        user: requiredOption("<email>", "user of the token", findUserId),
        name: requiredOption("<name>", "name of the token, shown in lists"),
        scope: choice("<scope>", "mcp (default): call tools; manage: also use the management API", [
          "mcp",
          "manage",
        ]),
        expiresInDays: wholeNumber("<number>", "lifetime of the token in days"),
        ...boundOptions,
      },
      async does({ services, actor, lookups }, { user, row, operation, address, ...input }) {
        const bounds = await toBounds(lookups, { row, operation, address });
        const bound = bounds === undefined ? {} : { bounds };
        return await (await loadTokens()).createToken(services, actor, user, {
          ...input,
          ...bound,
        });
      },
      shows: ({ token }: CreatedToken) => token,
      note: () => "Copy the token now. It is never shown again.",
    }),
    list("list", "list tokens, including revoked ones", {
      takes: { user: option("<email>", "only this user's", findUserId) },
      reads: async ({ services }, { user: userId }, page) =>
        (await loadTokens()).listTokens(services, { userId, ...page }),
      shows: table<Token>(
        [
          "id",
          "user",
          "name",
          ["token", ({ last_four }) => `…${last_four}`],
          "scope",
          ["last used", ({ last_used_at }) => last_used_at ?? "never"],
          ["expires", "expires_at"],
          ["revoked", "revoked_at"],
        ],
        "There are no tokens.",
      ),
    }),
    command("rotate", "replace a token by a new one, and print it once", {
      takes: {
        id: argument(
          "<id>",
          "id of the token, or its first six characters or more",
          ({ findTokenId }, typed) => findTokenId(typed),
        ),
        overlapHours: wholeNumber(
          "<number>",
          "how long the old token stays valid, 0 to 720; default: 24",
        ),
      },
      does: async ({ services, actor }, { id, ...input }) =>
        (await loadRotation()).rotateToken(services, actor, id, input),
      shows: ({ token }: RotatedToken) => token,
      note: ({ replaced: { revoked_at, expires_at } }) =>
        `Copy the token now. It is never shown again. The old one ${
          revoked_at === null ? `ends at ${expires_at}` : "is revoked"
        }.`,
    }),
    command("revoke", "revoke a token; its next call is refused", {
      takes: {
        id: argument(
          "<id>",
          "id of the token, or its first six characters or more",
          ({ findTokenId }, typed) => findTokenId(typed),
        ),
      },
      does: async ({ services, actor }, { id }) =>
        (await loadTokens()).revokeToken(services, actor, id),
      shows: ({ name, user }: Token) => `Revoked "${name}" of ${user}.`,
    }),
  ],
);
