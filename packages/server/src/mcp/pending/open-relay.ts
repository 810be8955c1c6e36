import { z } from "zod";
import { HubError } from "../../errors.ts";
import type { CallContext, QuestionRelay } from "../../operations/operations.ts";
import type { ClientInput, NeededInput } from "./needed-input.ts";

/** The questions of an outside system to the client of one call. */
export type OpenRelay = {
  /** For the context of the call. */
  port: QuestionRelay;
  /** What the call has asked when it ended; null if it has asked nothing. */
  needed(): NeededInput | null;
  /**
   * The client is about to get another answer to its call, which asks within from now on. False if it has ended with
   * questions already.
   */
  close(): boolean;
  /** The client got no other answer. */
  reopen(): void;
};

const keptSchema = z.strictObject({ relayed: z.unknown() });

/** Null for clients that are not asked by the answer to their call. */
export function openRelay(
  { client }: Pick<CallContext, "client">,
  { responses, kept }: ClientInput,
): OpenRelay | null {
  if (client?.mode !== "stateless") return null;
  const { form, url } = client.elicitation;
  if (!form && !url) return null;
  const { data: own } = keptSchema.safeParse(kept);
  let isOpen = true;
  let needed: NeededInput | null = null;
  return {
    port: {
      answered: own === undefined ? null : { responses, kept: own.relayed },
      isOpen: () => isOpen,
      end(requests, relayed) {
        needed = { requests, kept: { relayed } satisfies z.infer<typeof keptSchema> };
        throw new HubError(
          "input_required",
          "The outside system asks the user before it answers. The answers go with the same call.",
        );
      },
    },
    needed: () => needed,
    close() {
      if (needed !== null) return false;
      isOpen = false;
      return true;
    },
    reopen() {
      isOpen = true;
    },
  };
}
