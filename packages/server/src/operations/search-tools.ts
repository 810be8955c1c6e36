import { toInputSchema } from "@hub/connector";
import type { FoundTool } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";
import type { Target } from "./find-operation.ts";
import { createWordIndex } from "./index-words.ts";
import { createBestFirst } from "./keep-best.ts";
import type { ToolQuery } from "./operations.ts";
import { type Catalogue, listVisibleRows, toEntry } from "./tool-catalogue.ts";

const limitDefault = 20;
/** So many of the best results carry their input schema: search, then execute, needs no more. */
const withSchemaMax = 5;

/** Search over one catalogue. Built when first asked, since most changes are never searched. */
export type ToolSearch = {
  /** What contains the query comes first, then what matches its words; best first. */
  search(caller: Caller, wanted: ToolQuery): { tools: FoundTool[]; total: number };
};

/**
 * Rows and operations are indexed apart, since ten thousand rows of one connector have the same
 * few operations: a tool's score is its row's and its operation's together.
 */
export function createToolSearch(catalogue: Catalogue): ToolSearch {
  const rows = createWordIndex(
    catalogue.rows.map(({ row }) => ({
      key: row,
      fields: { label: row.label, about: row.description },
      text: `${row.label}\n${row.description}`,
    })),
  );
  const operations = createWordIndex(
    [
      ...new Map(catalogue.rows.map(({ connector }) => [connector.key, connector])).values(),
    ].flatMap((connector) =>
      [...connector.operations.values()].map((operation) => ({
        key: operation,
        fields: {
          name: `${operation.name} ${operation.key}`,
          description: operation.description,
          connector: connector.name,
        },
        // Apart by a line break, which no query has: nothing is found across the two.
        text: `${operation.name}\n${operation.description}`,
      })),
    ),
  );

  return {
    search(caller, { query, limit = limitDefault, offset = 0 }) {
      const found = createBestFirst<Target>(offset + limit);
      const rowMatches = rows.match(query);
      const operationMatches = operations.match(query);
      for (const { row, connector, operations: offered } of listVisibleRows(catalogue, caller)) {
        const ofRow = rowMatches(row);
        for (const operation of offered) {
          const ofOperation = operationMatches(operation);
          const contains = ofRow.contains || ofOperation.contains;
          const score = ofRow.score + ofOperation.score;
          if (contains || score > 0) {
            found.add({ row, connector, operation }, contains ? containsRank + score : score);
          }
        }
      }
      return { tools: toPage(found.best(), offset), total: found.total() };
    },
  };
}

/** Above any score of words: an entry that contains the whole query comes before all that do not. */
const containsRank = 1e9;

function toPage(ranked: readonly Target[], offset: number): FoundTool[] {
  return ranked.slice(offset).map((target, index): FoundTool => {
    const entry = toEntry(target);
    if (offset + index >= withSchemaMax) return entry;
    return { ...entry, input_schema: toInputSchema(target.operation.inputFields) };
  });
}
