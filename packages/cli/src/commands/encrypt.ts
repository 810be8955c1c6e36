import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { readSecret } from "../input/read-secret.ts";

export function define(encrypt: Command, cli: Cli): void {
  encrypt
    .description(
      "encrypt a secret value as a hub_enc_ token, which models may see and only the hub can open",
    )
    .option("--user <email>", "for calls of this user (default: of the local admin)")
    .addHelpText(
      "after",
      `
The command asks for the value on a terminal, or reads it from standard input. The value is never an
argument, because all users of the machine can list the arguments of a process.

Example:
  $ ${cli.name} encrypt --user ada@example.com < password.txt`,
    )
    .action(async (options: { user?: string }, command: Command) => {
      const text = await readSecret(cli.terminal, "Value to encrypt");
      await cli.answer(command, async ({ services, lookups }) => {
        const { encryptValue } = await import("@hub/server/services/values/encrypt-value.ts");
        const user = await lookups.findCaller(options.user);
        const token = await encryptValue(services, user.id, { text });
        return { json: { token, user: user.email }, text: token };
      });
    });
}
