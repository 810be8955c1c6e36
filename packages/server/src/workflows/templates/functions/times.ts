import type { TemplateFunction } from "./define-function.ts";

/** Times are texts of ISO 8601 in UTC with milliseconds, so that they compare as text. */
export const timeFunctions = {
  now: { args: [0, 0], call: ({ now }) => new Date(now).toISOString() },
} satisfies Record<string, TemplateFunction>;
