import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { readSecret } from "../read-secret.ts";
import { toUsageError } from "../usage-error.ts";

export function define(decrypt: Command, cli: Cli): void {
  decrypt
    .description("show on this terminal what a hub_enc_ token stands for")
    .option("--user <email>", "a token of this user (else one of the local admin)")
    .addHelpText(
      "after",
      `
The token is asked for on a terminal, or read from standard input. The value is printed to a terminal
only: in a file, a pipe or a conversation with a model it would be in clear.

Example:
  $ ${cli.name} decrypt --user ada@example.com`,
    )
    .action(async (options: { user?: string }, command: Command) => {
      if (!cli.terminal.stdout.isTTY) {
        throw toUsageError(
          `${cli.name} decrypt prints to a terminal only. Run it in one, without a pipe or a file behind it.`,
        );
      }
      const text = await readSecret(cli.terminal, "Token to decrypt");
      await cli.answer(command, async ({ services, lookups }) => {
        const { decryptValue } = await import("@hub/server/services/decrypt-value.ts");
        const { id } = await lookups.findCaller(options.user);
        const value = await decryptValue(services, id, { text });
        return { json: { value }, text: value };
      });
    });
}
