import { z } from "zod";

/** A user who has access to a row by the row's own tag. */
export const rowPersonSchema = z
  .object({ id: z.uuid(), email: z.string(), name: z.string() })
  .meta({ id: "RowPerson" });
export type RowPerson = z.infer<typeof rowPersonSchema>;

/** Who has access to a row. */
export const rowAccessSchema = z
  .object({
    row_id: z.uuid(),
    version: z.int().meta({ description: "Of the row. Send it with a change." }),
    own_tag: z.string().nullable().meta({
      description: "The tag of the row's own, which `people` have. Null until a person is given.",
    }),
    tags: z.array(z.string()).meta({ description: "The other tags of the row." }),
    people: z.array(rowPersonSchema).meta({
      description: "The users who have the row's own tag: the first 200.",
    }),
    people_total: z.int(),
  })
  .meta({ id: "RowAccess" });
export type RowAccess = z.infer<typeof rowAccessSchema>;

const named = (what: string) =>
  z
    .object({ first: z.array(z.object({ id: z.string(), name: z.string() })), total: z.int() })
    .meta({ description: `${what}: the first 20, and how many there are.` });

/** What a change of a row's access would open. */
export const accessPreviewSchema = z
  .object({
    own_tag: z.string().meta({ description: "The tag that the given people would get." }),
    rows: named("Other rows that this tag opens"),
    workflows: named("Workflows that this tag opens"),
    approvals: named("Pending approvals that users with this tag may decide"),
    tags: z.array(
      z.object({
        name: z.string(),
        users: z.int().meta({ description: "The active users with this tag." }),
      }),
    ),
  })
  .meta({ id: "AccessPreview" });
export type AccessPreview = z.infer<typeof accessPreviewSchema>;
