import type { Caller } from "../../caller.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";

/**
 * Advice for the local admin of stdio, instead of the page; null for every other caller. A value
 * sealed on the page opens only for the user who signed in there, not for the local admin.
 */
export function toLocalAdvice(
  verb: "encrypt" | "decrypt",
  caller: Caller,
  command: string | undefined,
): string | null {
  if (caller.userId !== LOCAL_ADMIN_ID || command === undefined) return null;
  const then =
    verb === "encrypt"
      ? "The command asks for the secret and prints a hub_enc_ value, which the user copies into this conversation. The secret itself must not be typed into this conversation."
      : "The command asks for the hub_enc_ value and shows the plain value in the terminal only. The plain value must not be copied into this conversation.";
  return `This server acts as the local admin of this machine, not as the user who signs in on the page, and a hub_enc_ value works for one user only. Ask the user to run "hub ${verb}" in a terminal on this machine. The full command is: ${command} ${verb}. ${then} To use values from the page, ask the user to run this command and to restart this client: ${command} mcp install --client CLIENT --user EMAIL`;
}
