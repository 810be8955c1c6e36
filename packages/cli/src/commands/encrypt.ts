import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { readSecret } from "../read-secret.ts";

export function define(encrypt: Command, cli: Cli): void {
  encrypt
    .description(
      "make a hub_enc_ token of a secret value: a model may hold and pass it on, only the hub opens it",
    )
    .option("--user <email>", "it opens in this user's calls (else in those of the local admin)")
    .addHelpText(
      "after",
      `
The value is asked for on a terminal, or read from standard input. It is never an argument, since
everyone on the machine can list arguments.

Example:
  $ ${cli.name} encrypt --user ada@example.com < password.txt`,
    )
    .action(async (options: { user?: string }, command: Command) => {
      const text = await readSecret(cli.terminal, "Value to encrypt");
      await cli.answer(command, async ({ services, lookups }) => {
        const { encryptValue } = await import("@hub/server/services/encrypt-value.ts");
        const user = await lookups.findCaller(options.user);
        const token = await encryptValue(services, user.id, { text });
        return { json: { token, user: user.email }, text: token };
      });
    });
}
