import { changeSchema } from "@hub/contract/change.ts";
import { settingSchema } from "@hub/contract/doctor.ts";
import { z } from "zod";
import { defineEndpoint } from "../endpoint.ts";

export const listChanges = defineEndpoint({
  name: "listChanges",
  summary: "List who changed what, newest first",
  query: z.strictObject({
    actor_id: z.string().optional(),
    action: z.string().optional().meta({ description: "Such as `row.update`." }),
    target_kind: z.string().optional(),
    target_id: z.string().optional(),
    before: z.uuid().optional().meta({ description: "Id of the last change of the page before." }),
    limit: z.coerce.number().int().optional(),
  }),
  answer: z.object({ changes: z.array(changeSchema) }),
  handle: async ({ manager, query }) => ({
    changes: await manager.changes.list({
      actorId: query.actor_id,
      action: query.action,
      targetKind: query.target_kind,
      targetId: query.target_id,
      before: query.before,
      limit: query.limit,
    }),
  }),
});

export const listSettings = defineEndpoint({
  name: "listSettings",
  summary: "List the hub's settings and where each value comes from",
  description: "Of a secret one it tells only where it comes from.",
  answer: z.object({ settings: z.array(settingSchema) }),
  handle: ({ manager }) => ({ settings: manager.settings.list() }),
});

export const listTags = defineEndpoint({
  name: "listTags",
  summary: "List the tags with how many users and rows have each",
  answer: z.object({
    tags: z.array(z.object({ name: z.string(), users: z.int(), rows: z.int() })),
  }),
  handle: async ({ manager }) => ({ tags: await manager.tags.list() }),
});
