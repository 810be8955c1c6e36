import { z } from "zod";

/** A failure as the API's body and the command line's standard error carry it. */
export const problemSchema = z.object({
  /** A sentence that says what to do next. */
  error: z.string(),
  /** Machine-readable word, such as `not_found`. */
  code: z.string(),
});
export type Problem = z.infer<typeof problemSchema>;
