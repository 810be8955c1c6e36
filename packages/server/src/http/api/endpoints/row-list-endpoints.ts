import {
  bulkActionSchema,
  bulkResultSchema,
  bulkRowsMax,
  listedRowSchema,
  rowSortSchema,
  rowsByStateSchema,
} from "@hub/contract/listed-row.ts";
import { rowStateNameSchema } from "@hub/contract/row-state.ts";
import { z } from "zod";
import { changeRows as change } from "../../../services/rows/bulk-rows.ts";
import { listStatedRows } from "../../../services/rows/views/list-rows.ts";
import { defineEndpoint } from "../endpoint.ts";
import { idsQuery, nextSchema, pageQuery, toIds } from "./page-query.ts";

export const listRows = defineEndpoint({
  name: "listRows",
  summary: "List the rows that the caller sees",
  description:
    "Without `sort`, the oldest come first. Users who are not admins cannot sort by calls.",
  query: pageQuery.extend({
    q: z.string().max(100).optional().meta({
      description: "Words in the label, the connector or a tag, ignoring case.",
    }),
    connector: z.string().optional(),
    tag: z.string().optional(),
    ids: idsQuery,
    state: rowStateNameSchema.optional(),
    sort: rowSortSchema.optional(),
    order: z.enum(["asc", "desc"]).default("asc"),
  }),
  answer: z.object({
    rows: z.array(listedRowSchema),
    next: nextSchema,
    total: z.int().meta({ description: "Of all pages, whatever their state." }),
    by_state: rowsByStateSchema.meta({
      description: "How many of `total` are in each state; states without rows are left out.",
    }),
  }),
  handle: ({ services, caller, query: { ids, ...query } }) =>
    listStatedRows(services, caller, { ...query, ids: toIds(ids) }),
});

export const changeRows = defineEndpoint({
  name: "changeRows",
  summary: "Change many rows",
  description:
    "Each row is changed on its own, as by the routes of one row. `approve_reads` approves the waiting operations that only read and whose texts have no warnings, without the hidden ones.",
  body: z.strictObject({
    rows: z.array(z.uuid()).min(1).max(bulkRowsMax),
    do: bulkActionSchema,
    tag: z.string().optional().meta({ description: "Of `add_tag` and `remove_tag`." }),
  }),
  answer: bulkResultSchema,
  failures: ["bad_request"],
  handle: ({ services, actor, body }) => change(services, actor, body),
});
