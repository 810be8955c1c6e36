import { type Settings, wholeNumber } from "./setting.ts";

/** Tokens of programs. */
export const machineSettings = {
  boundTokenDaysMax: {
    schema: wholeNumber(1, 3650).default(365),
    description:
      "days after which a token with bounds, or of a service user, expires at the latest",
    expects: "a whole number from 1 to 3650",
    fallback: "365",
  },
} as const satisfies Settings;
