import type { SecretDestination } from "@hub/contract/secret-source.ts";
import { toCancelled, toUsageError } from "../errors/usage-error.ts";
import { isInteractive, type Terminal } from "../process/terminal.ts";
import { toPrintable } from "../text/table.ts";

/**
 * Shows where rows would send a secret, and asks whether it may go there. Without a terminal, each address must have
 * been given: so a script says what it saw.
 */
export async function confirmAddresses(
  terminal: Terminal,
  destinations: readonly SecretDestination[],
  given: readonly string[],
): Promise<void> {
  const addresses = [...new Set(destinations.flatMap((one) => one.addresses))];
  if (addresses.every((address) => given.includes(address))) return;
  const { stdin: input, stderr: output } = terminal;
  output.write(`${destinations.map(toText).join("\n")}\n`);
  if (!isInteractive(terminal)) {
    const options = addresses.map((address) => `--address ${JSON.stringify(address)}`);
    throw toUsageError(
      toPrintable(`If the secret may go to these addresses, add ${options.join(" ")}.`),
    );
  }
  const { confirm } = await import("@clack/prompts");
  const message = "May the secret go to these addresses?";
  if ((await confirm({ message, input, output, initialValue: false })) !== true) {
    throw toCancelled();
  }
}

function toText({ label, addresses }: SecretDestination): string {
  return [label, ...addresses.map((address) => `  ${address}`)].map(toPrintable).join("\n");
}
