import { callErrorsSchema, callFiguresSchema } from "@hub/contract/call-figures.ts";
import { runCountsSchema, runSummarySchema } from "@hub/contract/run-history.ts";
import { z } from "zod";
import type { Caller } from "../../../caller.ts";
import * as counts from "../../../services/runs/count-runs-by-hour.ts";
import { figureCalls } from "../../../services/runs/figure-calls.ts";
import { groupErrors } from "../../../services/runs/group-errors.ts";
import type { CallsOf } from "../../../services/runs/scan-of-caller.ts";
import * as summary from "../../../services/runs/summarize-runs.ts";
import type { ServiceDeps } from "../../../services/service-deps.ts";
import { defineEndpoint, type Endpoint } from "../endpoint.ts";
import { byAnyConnector, byAnyRow, runFilter } from "./run-query.ts";

const allFilter = runFilter.extend(byAnyConnector);

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

export const { ofAll: countRuns, ofCaller: countOwnRuns } = defineStatistics({
  ofAll: {
    name: "countRuns",
    summary: "Count the newest calls that match a filter, by outcome and hour",
    description: countsNote,
  },
  ofCaller: {
    name: "countOwnRuns",
    summary: "Count your newest calls, by outcome and hour",
    description: countsNote,
  },
  answer: runCountsSchema,
  read: (services, caller, of, query) =>
    of === "all"
      ? counts.countAllRuns(services, caller, query)
      : counts.countOwnRuns(services, caller, query),
});

const figuresNote =
  "At most 5,000 calls are looked at, the newest first; `counted_from` says where it stopped.";

export const { ofAll: figureRuns, ofCaller: figureOwnRuns } = defineStatistics({
  ofAll: {
    name: "figureRuns",
    summary: "Sum up the newest calls that match a filter",
    description: `Error rate, times, the operations and users with the most calls, and the slowest calls. ${figuresNote}`,
  },
  ofCaller: {
    name: "figureOwnRuns",
    summary: "Sum up your newest calls that match a filter",
    description: figuresNote,
  },
  answer: callFiguresSchema,
  read: figureCalls,
});

export const { ofAll: groupRunErrors, ofCaller: groupOwnRunErrors } = defineStatistics({
  ofAll: {
    name: "groupRunErrors",
    summary: "Group the newest calls that failed by what failed and why",
    description: figuresNote,
  },
  ofCaller: {
    name: "groupOwnRunErrors",
    summary: "Group your newest calls that failed by what failed and why",
    description: figuresNote,
  },
  answer: callErrorsSchema,
  read: groupErrors,
});

type Statistics<Answer extends z.ZodType> = {
  ofAll: Description;
  ofCaller: Description;
  answer: Answer;
  read(
    services: ServiceDeps,
    caller: Caller,
    of: CallsOf,
    query: z.output<typeof allFilter>,
  ): Promise<z.input<Answer>>;
};
type Description = { name: string; summary: string; description: string };

/** The same statistics of the calls of all users and of the caller's own. */
function defineStatistics<Answer extends z.ZodType>({
  ofAll,
  ofCaller,
  answer,
  read,
}: Statistics<Answer>): { ofAll: Endpoint; ofCaller: Endpoint } {
  return {
    ofAll: defineEndpoint({
      ...ofAll,
      query: allFilter,
      answer,
      handle: ({ services, caller, query }) => read(services, caller, "all", query),
    }),
    ofCaller: defineEndpoint({
      ...ofCaller,
      query: allFilter.omit({ user: true }),
      answer,
      handle: ({ services, caller, query }) => read(services, caller, "own", query),
    }),
  };
}
