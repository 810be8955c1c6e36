import { changeSchema } from "@hub/contract/change.ts";
import { doctorCheckSchema, settingSchema } from "@hub/contract/doctor.ts";
import { statusSchema } from "@hub/contract/hub-status.ts";
import { refusedSignInsSchema } from "@hub/contract/refused-sign-ins.ts";
import { z } from "zod";
import { examineHub } from "../../../services/doctor/examine-hub.ts";
import * as changes from "../../../services/list-recorded-changes.ts";
import * as tags from "../../../services/list-tags.ts";
import * as settings from "../../../services/manage-settings.ts";
import * as status from "../../../services/show-status.ts";
import { listRefusedSignIns as listRefused } from "../../../services/users/list-refused-sign-ins.ts";

import { defineEndpoint } from "../endpoint.ts";

export const listChanges = defineEndpoint({
  name: "listChanges",
  summary: "List the changes, newest first",
  query: z.strictObject({
    actor_id: z.string().optional(),
    action: z.string().optional().meta({ description: "Such as `row.update`." }),
    target_kind: z.string().optional().meta({ description: "Such as `row` or `workflow`." }),
    target_id: z.string().optional(),
    from: z
      .string()
      .optional()
      .meta({ description: "Changes made at this time or later; RFC 3339." }),
    to: z.string().optional().meta({ description: "Changes made before this time; RFC 3339." }),
    before: z.uuid().optional().meta({ description: "The `next` of the previous page." }),
    limit: z.coerce.number().int().min(1).max(1000).default(50),
    grouped: z.enum(["true", "false"]).default("false").meta({
      description:
        "With `true`, saves of a workflow's draft by one user that follow each other within an hour are one entry, the newest, with `saves`. To read them all, ask with its `target_id`, its `actor_id` and the action `workflow.save`.",
    }),
  }),
  answer: z.object({
    changes: z.array(changeSchema),
    next: z
      .uuid()
      .nullable()
      .meta({ description: "The `before` of the next page; null on the last page." }),
  }),
  async handle({ services, query: { limit, ...query } }) {
    const found = await changes.listChanges(services, {
      actorId: query.actor_id,
      action: query.action,
      targetKind: query.target_kind,
      targetId: query.target_id,
      from: query.from,
      to: query.to,
      before: query.before,
      limit,
      isGrouped: query.grouped === "true",
    });
    return { changes: found, next: found.length === limit ? (found.at(-1)?.id ?? null) : null };
  },
});

export const showStatus = defineEndpoint({
  name: "showStatus",
  summary: "Show the database and the running processes of the hub",
  answer: statusSchema,
  handle: ({ services }) => status.showStatus(services),
});

export const listRefusedSignIns = defineEndpoint({
  name: "listRefusedSignIns",
  summary: "Show the refused sign-ins of the last day",
  description:
    "By password, for each account with several of them. Attempts that the limits of guessing have stopped are not counted.",
  answer: refusedSignInsSchema,
  handle: ({ services }) => listRefused(services),
});

export const runChecks = defineEndpoint({
  name: "runChecks",
  summary: "Check everything that the hub needs to work",
  description: "The checks of `hub doctor`, by the process that answers. Changes nothing.",
  answer: z.object({
    ok: z.boolean().meta({ description: "True if no check failed. There may be warnings." }),
    checks: z.array(doctorCheckSchema),
  }),
  handle: ({ services }) => examineHub(services),
});

export const listSettings = defineEndpoint({
  name: "listSettings",
  summary: "List the hub's settings and where each value comes from",
  description: "For secret settings it shows only where the value comes from.",
  answer: z.object({ settings: z.array(settingSchema) }),
  handle: async ({ services }) => ({ settings: await settings.listSettings(services) }),
});

const bySetting = z.object({
  setting: z.string().meta({ description: "The variable, such as `HUB_AUDIT_RETENTION_DAYS`." }),
});

export const setSetting = defineEndpoint({
  name: "setSetting",
  needsSpace: false,
  summary: "Change a setting while the hub runs",
  description:
    "For limits, sizes and retention times; `changeable` marks them. The value is stored, and every process uses it from its next call on.",
  params: bySetting,
  body: z.strictObject({
    value: z.union([z.string(), z.number()]),
    from: z.string().nullable().optional().meta({
      description:
        "The value that was read. If the setting has another one since: 409 `conflict` with its `value`, `changed_by` and `changed_at`.",
    }),
  }),
  answer: settingSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    settings.setSetting(services, actor, params.setting, String(body.value), { from: body.from }),
});

export const resetSetting = defineEndpoint({
  name: "resetSetting",
  summary: "Reset a setting to its default",
  params: bySetting,
  query: z.strictObject({
    from: z.string().optional().meta({
      description: "The value that was read. If the setting has another one since: 409 `conflict`.",
    }),
  }),
  answer: settingSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, query }) =>
    settings.resetSetting(services, actor, params.setting, query),
});

export const listTags = defineEndpoint({
  name: "listTags",
  summary: "List the tags with the number of users and rows that have each",
  answer: z.object({
    tags: z.array(z.object({ name: z.string(), users: z.int(), rows: z.int() })),
  }),
  handle: async ({ services }) => ({ tags: await tags.listTags(services) }),
});
