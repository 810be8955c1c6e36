import type { TokenScope } from "@hub/contract/token.ts";
import { type Command, Option } from "commander";
import { readAllPages } from "../all-pages.ts";
import type { Cli } from "../cli.ts";
import { toWholeNumber } from "../pairs.ts";
import { toTable } from "../table.ts";

const loadTokens = () => import("@hub/server/services/users/tokens.ts");

type CreateOptions = { user: string; name: string; scope?: TokenScope; expiresInDays?: number };

export function define(token: Command, cli: Cli): void {
  token.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} token create --user ada@example.com --name laptop
  $ ${cli.name} token create --user ada@example.com --name ci --scope manage --expires-in-days 90
  $ ${cli.name} token revoke 3f2a9c`,
  );

  token
    .command("create")
    .description("make a token, shown once")
    .requiredOption("--user <email>", "whom it speaks for")
    .requiredOption("--name <name>", "what tells it from the user's other tokens")
    .addOption(
      new Option(
        "--scope <scope>",
        "mcp: calls tools, the default; manage: the management API as well",
      ).choices(["mcp", "manage"]),
    )
    .option("--expires-in-days <number>", "it ends by itself after so many days", toWholeNumber)
    .action(({ user, ...input }: CreateOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { createToken } = await loadTokens();
        const { id } = await lookups.findUser(user);
        const created = await createToken(services, actor, id, input);
        const note = "Keep it now: it is never shown again.";
        return { json: created, text: created.token, note };
      }),
    );

  token
    .command("list")
    .description("list tokens, revoked ones too")
    .option("--user <email>", "only this user's")
    .action((options: { user?: string }, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { listTokens } = await loadTokens();
        const userId = options.user && (await lookups.findUser(options.user)).id;
        const tokens = await readAllPages((page) => listTokens(services, { userId, ...page }));
        const text = toTable(
          tokens,
          [
            ["id", (shown) => shown.id],
            ["user", (shown) => shown.user],
            ["name", (shown) => shown.name],
            ["token", (shown) => `…${shown.last_four}`],
            ["scope", (shown) => shown.scope],
            ["last used", (shown) => shown.last_used_at ?? "never"],
            ["expires", (shown) => shown.expires_at],
            ["revoked", (shown) => shown.revoked_at],
          ],
          "There are no tokens.",
        );
        return { json: tokens, text };
      }),
    );

  token
    .command("revoke")
    .argument("<id>", "id of the token, or its first six characters or more")
    .description("end a token; its next call is refused")
    .action((id: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { revokeToken } = await loadTokens();
        const revoked = await revokeToken(services, actor, await lookups.findTokenId(id));
        return { json: revoked, text: `Revoked "${revoked.name}" of ${revoked.user}.` };
      }),
    );
}
