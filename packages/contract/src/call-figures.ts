import { z } from "zod";
import { timeSchema } from "./time.ts";

const countedFrom = timeSchema.nullable().meta({
  description:
    "Only calls that started after this time are looked at, because there are too many; null if these are all.",
});
const milliseconds = z.number().nullable();
const calledSchema = z.object({
  connector_id: z.string().nullable().meta({ description: "Id of the row." }),
  row_label: z.string().nullable(),
  operation_key: z.string(),
});

/** What the newest calls that match a filter amount to. */
export const callFiguresSchema = z
  .object({
    counted_from: countedFrom,
    calls: z.int().meta({ description: "The number of calls that have ended." }),
    running: z.int(),
    errors: z.int().meta({ description: "Calls that failed or were denied." }),
    error_rate: z
      .number()
      .nullable()
      .meta({ description: "`errors` of `calls`, from 0 to 1; null if there are no calls." }),
    p50_ms: milliseconds.meta({
      description: "Half of the calls took at most this long; null if there are no calls.",
    }),
    p95_ms: milliseconds,
    p99_ms: milliseconds,
    operations: z
      .array(calledSchema.extend({ calls: z.int(), errors: z.int(), p95_ms: milliseconds }))
      .meta({ description: "The operations with the most calls, at most five." }),
    users: z
      .array(
        z.object({
          user_id: z.string(),
          user: z.string().nullable(),
          calls: z.int(),
          errors: z.int(),
        }),
      )
      .meta({ description: "The users with the most calls, at most five." }),
    slowest: z
      .array(calledSchema.extend({ id: z.uuid(), latency_ms: z.number(), started_at: timeSchema }))
      .meta({ description: "The calls that took longest, at most five." }),
  })
  .meta({ id: "CallFigures" });
export type CallFigures = z.infer<typeof callFiguresSchema>;

/** Calls of one operation that failed for the same reason. */
const errorGroupSchema = calledSchema.extend({
  error_code: z.string(),
  message: z
    .string()
    .nullable()
    .meta({ description: "The newest message, as one line of at most 200 characters." }),
  calls: z.int(),
  first_at: timeSchema.meta({ description: "Start of the oldest of these calls." }),
  last_at: timeSchema,
  users: z
    .array(z.string())
    .meta({ description: "E-mails of the users with the newest of these calls, at most three." }),
  users_total: z.int(),
  example: z.uuid().meta({ description: "The newest of these calls." }),
  filter: z
    .object({
      row: z.string().optional(),
      operation: z.string(),
      code: z.string(),
      error: z.string().optional(),
    })
    .meta({
      description:
        "What the lists of calls take to find them: `error` is the longest part that their messages share.",
    }),
});
export type ErrorGroup = z.infer<typeof errorGroupSchema>;

/** The newest calls that failed, by what failed and why. */
export const callErrorsSchema = z
  .object({
    counted_from: countedFrom,
    calls: z.int().meta({ description: "The number of calls with an error." }),
    groups: z.array(errorGroupSchema).meta({
      description:
        "By row, operation, code and message, whose numbers, ids and quoted texts do not count. Most calls first, at most 50.",
    }),
    total: z.int().meta({ description: "The number of groups." }),
  })
  .meta({ id: "CallErrors" });
export type CallErrors = z.infer<typeof callErrorsSchema>;
