import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { readSecret } from "../input/read-secret.ts";

export function define(decrypt: Command, cli: Cli): void {
  decrypt
    .description("show the value of a hub_enc_ token on this terminal")
    .option("--user <email>", "open a token of this user (default: of the local admin)")
    .addHelpText(
      "after",
      `
The command asks for the token on a terminal, or reads it from standard input. It prints the value only to
a terminal, never to a file or a pipe, so that the value does not reach logs or models.

Example:
  $ ${cli.name} decrypt --user ada@example.com`,
    )
    .action(async (options: { user?: string }, command: Command) => {
      if (!cli.terminal.stdout.isTTY) {
        throw toUsageError(
          `${cli.name} decrypt prints to a terminal only. Run it without a pipe and without redirecting its output.`,
        );
      }
      const text = await readSecret(cli.terminal, "Token to decrypt");
      await cli.answer(command, async ({ services, lookups }) => {
        const { decryptValue } = await import("@hub/server/services/values/decrypt-value.ts");
        const { id } = await lookups.findCaller(options.user);
        const value = await decryptValue(services, id, { text });
        return { json: { value }, text: value };
      });
    });
}
