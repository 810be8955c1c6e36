import { z } from "zod";
import { type Settings, wholeNumber, yesOrNo } from "./setting.ts";

/** Rows whose outside system brings the operations. */
export const bridgeSettings = {
  bridgeStdio: {
    schema: yesOrNo().nullable().default(null),
    description:
      "rows of the mcp connector may start programs on this machine, which no signature covers",
    expects: "1 or 0",
    fallback: "1, but 0 on PostgreSQL and if plugins need signatures",
  },
  bridgeStartSeconds: {
    schema: wholeNumber(1, 3600).default(120),
    description:
      "seconds that a row's program may take until it answers, with what it downloads at its first start",
    expects: "a whole number from 1 to 3600",
    fallback: "120",
  },
  bridgeTrust: {
    schema: z.enum(["review", "row"]).default("review"),
    description:
      "operations that a row's outside system adds or changes: wait for an admin (review), or are approved at once (row)",
    expects: "review or row",
    fallback: "review",
  },
} as const satisfies Settings;
