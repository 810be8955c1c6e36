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
    .description("create a token and print it once")
    .requiredOption("--user <email>", "user of the token")
    .requiredOption("--name <name>", "name of the token, shown in lists")
    .addOption(
      new Option(
        "--scope <scope>",
        "mcp (default): call tools; manage: also use the management API",
      ).choices(["mcp", "manage"]),
    )
    .option("--expires-in-days <number>", "lifetime of the token in days", toWholeNumber)
    .action(({ user, ...input }: CreateOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { createToken } = await loadTokens();
        const { id } = await lookups.findUser(user);
        const created = await createToken(services, actor, id, input);
        const note = "Copy the token now. It is never shown again.";
        return { json: created, text: created.token, note };
      }),
    );

  token
    .command("list")
    .description("list tokens, including revoked ones")
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
    .description("revoke a token; its next call is refused")
    .action((id: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { revokeToken } = await loadTokens();
        const revoked = await revokeToken(services, actor, await lookups.findTokenId(id));
        return { json: revoked, text: `Revoked "${revoked.name}" of ${revoked.user}.` };
      }),
    );
}
