import { callErrorsSchema, callFiguresSchema } from "@hub/contract/call-figures.ts";
import { runCountsSchema, runSummarySchema } from "@hub/contract/run-history.ts";
import { z } from "zod";
import * as counts from "../../../services/runs/count-runs-by-hour.ts";
import { figureCalls } from "../../../services/runs/figure-calls.ts";
import { groupErrors } from "../../../services/runs/group-errors.ts";
import * as summary from "../../../services/runs/summarize-runs.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byAnyConnector, byAnyRow, runFilter } from "./run-query.ts";

const allFilter = runFilter.extend(byAnyConnector);
const ownFilter = runFilter.omit({ user: true }).extend(byAnyConnector);

export const summarizeRuns = defineEndpoint({
  name: "summarizeRuns",
  summary: "Count calls by outcome, row and hour",
  description: "For the last day, or for the full hours between `from` and `to`.",
  query: z.strictObject({
    from: z.string().optional(),
    to: z.string().optional(),
    ...byAnyRow,
    by_row: z.enum(["all", "none"]).default("all").meta({
      description:
        "With `none`, the list by rows is empty, which a hub with thousands of rows needs.",
    }),
  }),
  answer: runSummarySchema,
  async handle({ services, query: { by_row: byRow, ...query } }) {
    const answer = await summary.summarizeRuns(services, query);
    return byRow === "all" ? answer : { ...answer, by_row: [] };
  },
});

const countsNote =
  "For the last day, or between `from` and `to`. At most 20,000 calls are looked at, the newest first; `counted_from` says where the count stopped.";

export const countRuns = defineEndpoint({
  name: "countRuns",
  summary: "Count the newest calls that match a filter, by outcome and hour",
  description: countsNote,
  query: allFilter,
  answer: runCountsSchema,
  handle: ({ services, caller, query }) => counts.countAllRuns(services, caller, query),
});

export const countOwnRuns = defineEndpoint({
  name: "countOwnRuns",
  summary: "Count your newest calls, by outcome and hour",
  description: countsNote,
  query: ownFilter,
  answer: runCountsSchema,
  handle: ({ services, caller, query }) => counts.countOwnRuns(services, caller, query),
});

const figuresNote =
  "At most 5,000 calls are looked at, the newest first; `counted_from` says where it stopped.";

export const figureRuns = defineEndpoint({
  name: "figureRuns",
  summary: "Sum up the newest calls that match a filter",
  description: `Error rate, times, the operations and users with the most calls, and the slowest calls. ${figuresNote}`,
  query: allFilter,
  answer: callFiguresSchema,
  handle: ({ services, caller, query }) => figureCalls(services, caller, "all", query),
});

export const figureOwnRuns = defineEndpoint({
  name: "figureOwnRuns",
  summary: "Sum up your newest calls that match a filter",
  description: figuresNote,
  query: ownFilter,
  answer: callFiguresSchema,
  handle: ({ services, caller, query }) => figureCalls(services, caller, "own", query),
});

export const groupRunErrors = defineEndpoint({
  name: "groupRunErrors",
  summary: "Group the newest calls that failed by what failed and why",
  description: figuresNote,
  query: allFilter,
  answer: callErrorsSchema,
  handle: ({ services, caller, query }) => groupErrors(services, caller, "all", query),
});

export const groupOwnRunErrors = defineEndpoint({
  name: "groupOwnRunErrors",
  summary: "Group your newest calls that failed by what failed and why",
  description: figuresNote,
  query: ownFilter,
  answer: callErrorsSchema,
  handle: ({ services, caller, query }) => groupErrors(services, caller, "own", query),
});
