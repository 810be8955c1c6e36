import { wick } from "@hub/connector";
import { defineOperation } from "./inputs.ts";
import { runQuery } from "./run-query.ts";

/** Reads log lines, or series of numbers, with the log store's query language. */
export const query = defineOperation({
  name: "Query logs",
  description: `Search log lines of a time window with LogQL, or count them with a metric query.

A query begins with a stream selector, {app="api", env=~"prod|staging"}; labels lists the names, label_values the values. Line filters follow: |= "text" keeps lines with the text, != drops them, |~ "(?i)regexp" keeps matches. Parsers make labels from the fields of a line: | json | status >= 500. Structured metadata (metadata of an entry) is filtered behind the selector too: | detected_level="error". For how many and how often use a metric query: sum by (app) (count_over_time({env="prod"} |= "error" [5m])).

Returns count, entries (timestamp in UTC to the nanosecond, labels, line), the window searched, and truncated. While truncated is true there are more lines: call again with the same query, limit and direction, and start and end of next. Lines over 8192 characters end in [cut: …]; | line_format "{{.member}}" shows parts of them. When nothing matched, hint says why that may be. A metric query answers series (labels, points of time and value) and no entries.`,
  reads: true,
  input: {
    query: wick(
      'required;desc=LogQL, such as {app="api"} |= "error" or sum(count_over_time({app="api"}[5m]))',
    ),
    start: wick(
      "desc=Start of the window. RFC 3339 with an offset (2026-11-20T09:30:00Z), relative to now (now-15m, now-2d\\; units s, m, h, d, w), or Unix nanoseconds (at least 15 digits). Default 1 hour ago",
    ),
    end: wick("desc=End of the window (exclusive), in the same forms as start. Default now"),
    limit: wick.int(
      "default=100;desc=Entries (or series) on the page, at most 5000. Larger values count as 5000",
    ),
    direction: wick(
      "dropdown=backward|forward;default=backward;desc=backward is newest first, forward oldest first",
    ),
  },
  examples: [
    { description: "Errors of the last hour", params: { query: '{app="api"} |= "error"' } },
    {
      description: "Lines from a start time on, oldest first",
      params: {
        query: '{app="api"}',
        start: "2026-11-20T09:30:00Z",
        end: "2026-11-20T09:35:00Z",
        direction: "forward",
        limit: 50,
      },
    },
    {
      description: "How many errors each app had, over a day",
      params: {
        query: 'sum by (app) (count_over_time({env="prod"} |= "error" [1h]))',
        start: "now-1d",
      },
    },
  ],
  run: runQuery,
});
