import type { Caller } from "../../caller.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";

/**
 * What the local admin of stdio does instead of opening the page; null for every other caller. A
 * value belongs to one user: what a signed-in person seals on the page opens for that person only.
 */
export function toLocalAdvice(
  verb: "encrypt" | "decrypt",
  caller: Caller,
  command: string | undefined,
): string | null {
  if (caller.userId !== LOCAL_ADMIN_ID || command === undefined) return null;
  const then =
    verb === "encrypt"
      ? "It asks for the secret and prints a hub_enc_ value, which the user copies back to you. The secret itself must not be typed into this conversation."
      : "It asks for the hub_enc_ value and shows the plain value on the terminal only. The plain value must not be copied into this conversation.";
  return `You act as the local admin of this machine, not as the user who signs in on the page, and values are for one of them only. Ask the user to run "hub ${verb}" in a terminal on this machine, in full: ${command} ${verb}. ${then} Values from the page open in a server that was configured with "hub mcp config --user EMAIL".`;
}
