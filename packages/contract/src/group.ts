import { z } from "zod";
import { timeSchema } from "./time.ts";

/** What the members of groups of a directory get. */
export const groupLineSchema = z
  .strictObject({
    source: z
      .enum(["any", "sso", "scim"])
      .default("any")
      .meta({ description: "Where the groups come from: single sign-on, SCIM, or any." }),
    pattern: z.string().trim().min(1).max(256).meta({
      description:
        "The name of a group as the directory sends it, or with `is_pattern` a pattern in which `*` stands for any characters.",
    }),
    is_pattern: z.boolean().default(false),
    tags: z.array(z.string()).max(100).default([]),
    tag_start: z.string().trim().min(1).max(40).nullable().default(null).meta({
      description:
        "Each group also gives a tag made of this and of what the only `*` of the pattern stands for.",
    }),
    role: z.enum(["user", "admin", "none"]).default("user").meta({
      description: "`none` refuses members whatever other groups give. `user` gives the tags only.",
    }),
    admin_by_scim: z
      .boolean()
      .default(false)
      .meta({ description: "Whether a group that came by SCIM may give the role admin." }),
  })
  .meta({ id: "GroupLine" });
export type GroupLineInput = z.input<typeof groupLineSchema>;

export const groupLinesInputSchema = z.strictObject({
  revision: z.int().meta({ description: "That of the lines that were read." }),
  lines: z.array(groupLineSchema).max(200),
});

const countedLineSchema = groupLineSchema.extend({
  id: z.uuid(),
  users: z.int().meta({ description: "How many users are in such a group now." }),
});
export type CountedGroupLine = z.infer<typeof countedLineSchema>;

export const groupLinesSchema = z
  .object({
    revision: z.int(),
    lines: z.array(countedLineSchema),
    claim: z.string().nullable().meta({
      description:
        "The claim of the provider's tokens with the groups. Null: single sign-on brings none.",
    }),
    required_group: z.string().nullable(),
    waiting: z.int().meta({
      description:
        "How many users still wait for changed lines. The hub begins within a minute to apply them in the background.",
    }),
    known: z
      .array(
        z.object({
          name: z.string(),
          source: z.enum(["sso", "scim"]),
          users: z.int(),
          is_named: z.boolean().meta({ description: "Whether a line names it." }),
        }),
      )
      .meta({ description: "Groups of users, at most 500." }),
  })
  .meta({ id: "GroupLines" });
export type GroupLines = z.infer<typeof groupLinesSchema>;

/** Where the tags, the role and the state of a user come from. */
export const userGroupsSchema = z
  .object({
    role_by_hand: z.enum(["admin", "user"]),
    role_by_groups: z.enum(["admin", "user", "none"]).nullable(),
    disabled_by: z.enum(["groups", "scim"]).nullable(),
    keeps_last_admin: z.boolean().meta({
      description: "Groups would take the role or the access, and this is the last active admin.",
    }),
    tags_by_hand: z.array(z.string()),
    tags_by_groups: z.array(z.string()),
    untagged: z
      .array(z.string())
      .meta({ description: "Groups of which a line cannot make a tag." }),
    prepared_for: z
      .string()
      .nullable()
      .meta({ description: "The issuer whose first sign-in links the user." }),
    sources: z.array(
      z.object({
        source: z.string().meta({ description: "`sso`, or `scim:` and the id of a client." }),
        groups: z.array(z.string()),
        read_at: timeSchema.nullable(),
        problem: z.string().nullable().meta({ description: "Why the groups are not known since." }),
        problem_at: timeSchema.nullable(),
        left_out: z.int(),
        lacks_required: z.boolean(),
      }),
    ),
    provider: z
      .object({
        confirmed_at: timeSchema,
        is_followed: z
          .boolean()
          .meta({ description: "Whether the provider gave a refresh token." }),
        failed_since: timeSchema.nullable(),
        ended_at: timeSchema.nullable(),
        reason: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "The user's session at the provider." }),
  })
  .meta({ id: "UserGroups" });
export type UserGroups = z.infer<typeof userGroupsSchema>;
