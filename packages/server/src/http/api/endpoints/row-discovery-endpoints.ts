import { reviewFilters } from "@hub/contract/review-filters.ts";
import {
  discoveryReportSchema,
  documentServerSchema,
  leftOutPageSchema,
  readMarksSchema,
  reviewedOperationSchema,
  reviewLineSchema,
  rowDiscoverySchema,
} from "@hub/contract/row-discovery.ts";
import { z } from "zod";
import { discoverRow as discover } from "../../../services/rows/discovery/discover-row.ts";
import { findDocumentServers } from "../../../services/rows/discovery/find-document-servers.ts";
import { hideOperations as hide } from "../../../services/rows/discovery/hide-operations.ts";
import { listLeftOut as listLeftOutOf } from "../../../services/rows/discovery/list-left-out.ts";
import { listReviewLines as listLines } from "../../../services/rows/discovery/list-review-lines.ts";
import { markReads as mark } from "../../../services/rows/discovery/mark-reads.ts";
import * as reviews from "../../../services/rows/discovery/review-operations.ts";
import { defineEndpoint } from "../endpoint.ts";
import { toTestContext } from "./check-tested.ts";
import { nextSchema } from "./page-query.ts";
import { byRow } from "./path-params.ts";

const documentBody = z.strictObject({
  document: z.string().optional().meta({
    description: "The text of a document to read, instead of the one at the row's address.",
  }),
});

/** Of what asks the outside system of a row. */
const outsideFailures = [
  "not_found",
  "bad_request",
  "needs_setup",
  "upstream_error",
  "timeout",
  "plugin_unavailable",
] as const;

export const discoverRow = defineEndpoint({
  name: "discoverRow",
  asksOutside: true,
  summary: "Ask a row's outside system for its operations",
  description:
    "For rows that bring their operations, such as those of `mcp` and `openapi`. What is new or has changed waits for a review, and cannot be called before. With `HUB_BRIDGE_TRUST=row` it is approved at once.",
  params: byRow,
  body: documentBody,
  answer: discoveryReportSchema,
  failures: outsideFailures,
  handle: (call) =>
    discover(call.services, call.actor, toTestContext(call), call.params.row, call.body),
});

export const findRowServers = defineEndpoint({
  name: "findRowServers",
  asksOutside: true,
  summary: "Find the servers that a row's document names",
  description:
    "For rows of `openapi`. Calls go to none of them before an admin sets it as `base_url` or adds it to `other_servers`.",
  params: byRow,
  body: documentBody,
  answer: z.object({ servers: z.array(documentServerSchema) }),
  failures: outsideFailures,
  handle: (call) =>
    findDocumentServers(call.services, toTestContext(call), call.params.row, call.body),
});

export const showReview = defineEndpoint({
  name: "showReview",
  summary: "Show the operations of a row that wait for a review",
  description:
    "New and changed ones, and those that the outside system describes wrongly now or no longer offers.",
  params: byRow,
  query: z.strictObject({
    offset: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    filter: z.enum(reviewFilters).optional(),
    key: z.string().optional().meta({ description: "Only the operation with this key." }),
  }),
  answer: rowDiscoverySchema.extend({
    reviewed: z.array(reviewedOperationSchema),
    next_offset: z.int().nullable().meta({ description: "Null on the last page." }),
    counts: z
      .object({
        new: z.int(),
        changed: z.int(),
        invalid: z.int(),
        gone: z.int(),
        warnings: z.int(),
        hidden: z.int(),
      })
      .meta({ description: "The operations that each `filter` shows, on all pages." }),
  }),
  failures: ["not_found"],
  handle: ({ services, params, query }) => reviews.showReview(services, params.row, query),
});

export const listReviewLines = defineEndpoint({
  name: "listReviewLines",
  summary: "List the operations of a row that wait for a review, as lines",
  description:
    "Without their schemas, so that thousands fit on a page. A new operation that is disabled is hidden: it is only in the filter `hidden`.",
  params: byRow,
  query: z.strictObject({
    q: z.string().max(100).optional(),
    filter: z.enum([...reviewFilters, "hidden"]).optional(),
    after: z.coerce.number().int().min(0).max(100_000).default(0),
    limit: z.coerce.number().int().min(1).max(200).default(100),
  }),
  answer: z.object({ lines: z.array(reviewLineSchema), total: z.int(), next: nextSchema }),
  failures: ["not_found"],
  handle: ({ services, params, query }) => listLines(services, params.row, query),
});

export const listLeftOut = defineEndpoint({
  name: "listLeftOut",
  summary: "List the operations that the last discovery of a row left out",
  description: "With the reasons, in the order of the document or of the outside system.",
  params: byRow,
  query: z.strictObject({
    after: z.coerce.number().int().min(0).max(100_000).default(0),
    limit: z.coerce.number().int().min(1).max(100).default(100),
  }),
  answer: leftOutPageSchema,
  failures: ["not_found"],
  handle: ({ services, params, query }) => listLeftOutOf(services, params.row, query),
});

const approvalsMax = 1_000;

export const hideOperations = defineEndpoint({
  name: "hideOperations",
  summary: "Hide new operations of a row from the review, or show them again",
  description:
    "They stay unapproved, so they cannot be called. An approval of a hidden operation shows it again.",
  params: byRow,
  body: z.strictObject({
    operations: z.array(z.string()).max(approvalsMax),
    hidden: z.boolean(),
  }),
  answer: rowDiscoverySchema,
  failures: ["bad_request", "not_found"],
  handle: ({ services, actor, params, body }) => hide(services, actor, params.row, body),
});

export const approveOperations = defineEndpoint({
  name: "approveOperations",
  summary: "Approve operations of a row as they were shown",
  description:
    "Then they can be called. Send either `operations` with the digests that were shown, or `stamp` to approve all that wait. If something has changed since, the answer is 409 `conflict`.",
  params: byRow,
  body: z.union([
    z.strictObject({
      operations: z
        .array(
          z.strictObject({
            key: z.string(),
            digest: z.string(),
            reads: z.boolean().optional().meta({
              description: "Also marks it as an operation that only reads.",
            }),
          }),
        )
        .max(approvalsMax),
    }),
    z.strictObject({
      stamp: z.string(),
      only: z.enum(["reads"]).optional().meta({
        description: "Only those that only read and whose texts have no warnings.",
      }),
    }),
  ]),
  answer: rowDiscoverySchema,
  failures: ["not_found", "conflict"],
  handle({ services, actor, params, body }) {
    return "stamp" in body
      ? reviews.approveAllOperations(services, actor, params.row, body)
      : reviews.approveOperations(services, actor, params.row, body);
  },
});

export const markReads = defineEndpoint({
  name: "markReads",
  summary: "Mark operations of a row as ones that only read",
  description:
    "For operations with `may_mark`: those that rows bring, such as rows of `mcp` and `openapi`, and those of `http` and of plugins without a trusted signature that are not destructive. A marked operation is not destructive, has `reads: true` in the answers for models, and `hub_read` runs it. The mark is lost when the operation, the address of the row or the program of the plugin changes, and `HUB_BRIDGE_TRUST=row` never sets it. With `stamp`, the answer is 409 `conflict` if the operations have changed since they were shown.",
  params: byRow,
  body: z.strictObject({
    operations: z.array(z.string()).max(approvalsMax).optional().meta({
      description:
        "Keys of approved operations. Without it, to mark: all approved ones that are not described as destructive, such as each GET. To remove marks: all that have one.",
    }),
    reads: z.boolean().meta({ description: "`false` removes the mark." }),
    stamp: z.string().optional().meta({
      description: "That of the page of operations, or of the review, that was shown.",
    }),
  }),
  answer: readMarksSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) => mark(services, actor, params.row, body),
});
