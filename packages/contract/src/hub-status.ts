import { z } from "zod";
import { timeSchema } from "./time.ts";

/** A running process of the hub. */
export const processSchema = z
  .object({
    id: z.string(),
    kind: z.enum(["serve", "stdio", "cli"]),
    version: z.string().nullable().meta({ description: "Null for a command." }),
    hostname: z.string(),
    pid: z.int(),
    started_at: timeSchema,
    heartbeat_at: timeSchema,
    clock_offset_ms: z.int().meta({
      description: "By how much the database's clock is ahead of the clock of its machine.",
    }),
    answers: z.boolean().meta({ description: "Whether it is the one that gives this answer." }),
  })
  .meta({ id: "Process" });

export const statusSchema = z
  .object({
    database: z.object({
      kind: z.string(),
      bytes: z.int(),
      newest_migration: z.string(),
      server: z
        .object({
          round_trip_ms: z.number(),
          connections_max: z.int(),
          connections_open: z.int(),
          connections_opened: z.int().meta({
            description: "Since the start; more than `connections_max` if some were lost.",
          }),
          busy: z.int().meta({ description: "Statements and transactions in progress." }),
          waiting: z.int().meta({ description: "Callers that wait for a connection." }),
        })
        .nullable()
        .meta({ description: "How this process reaches the database; null with SQLite." }),
    }),
    backup: z
      .object({
        made_at: timeSchema,
        late: z.boolean().meta({
          description:
            "Whether the next one is late: after twice the interval of `hub backup --keep`, or else after a week.",
        }),
      })
      .nullable()
      .meta({ description: "The last backup. Null if none was made, and on PostgreSQL." }),
    processes: z
      .array(processSchema)
      .meta({ description: "Those that are alive on the database, oldest first." }),
  })
  .meta({ id: "Status" });
export type Status = z.infer<typeof statusSchema>;
