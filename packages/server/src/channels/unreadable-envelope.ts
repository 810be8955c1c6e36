import { z } from "zod";
import type { ChatEnvelope } from "./chat-adapter.ts";

const pathsMax = 5;
const reasonCharsMax = 300;

/** The envelope of a delivery that an adapter could not read. Its reason has names of members, and no content. */
export function toUnreadable(thrown: unknown): ChatEnvelope {
  const paths = thrown instanceof z.ZodError ? thrown.issues.map(({ path }) => path.join(".")) : [];
  const reason =
    paths.length === 0
      ? String(thrown)
      : `Missing or unexpected: ${paths.slice(0, pathsMax).join(", ")}`;
  return {
    // Nothing that has an id in it could be read.
    id: crypto.randomUUID(),
    events: [],
    from: "person",
    sender: null,
    direct: null,
    unreadable: reason.slice(0, reasonCharsMax),
  };
}
