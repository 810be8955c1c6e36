import { z } from "zod";

/** A failure, as the body of an API answer or on standard error of the command line. */
export const problemSchema = z.object({
  /** A sentence with advice. */
  error: z.string(),
  /** A code for programs, such as `not_found`. */
  code: z.string(),
});
export type Problem = z.infer<typeof problemSchema>;
