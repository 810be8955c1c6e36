import { toInputSchema } from "@hub/connector";
import type { FoundTool } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";
import type { Target } from "./find-operation.ts";
import { createWordIndex } from "./index-words.ts";
import type { ToolQuery } from "./operations.ts";
import { type Catalogue, listVisibleRows, toEntry } from "./tool-catalogue.ts";
import { createTopItems } from "./top-items.ts";

const limitDefault = 20;
/** This many results have an input schema, so that a client can execute them without `hub_get`. */
const withSchemaMax = 5;

/**
 * The search over one catalogue. It is built on first use, because most catalogues are never
 * searched.
 */
export type ToolSearch = {
  /**
   * Results that contain the whole query come first, then results that match its words. Each group
   * is sorted by score.
   */
  search(caller: Caller, wanted: ToolQuery): { tools: FoundTool[]; total: number };
};

/**
 * Rows and operations have separate indexes, because ten thousand rows of one connector have the
 * same few operations. A tool's score is the sum of both scores.
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
        // Queries have no line breaks, so no match spans both parts.
        text: `${operation.name}\n${operation.description}`,
      })),
    ),
  );

  return {
    search(caller, { query, limit = limitDefault, offset = 0 }) {
      const found = createTopItems<Target>(offset + limit);
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

/** Higher than any score of words, so that results with the whole query come first. */
const containsRank = 1e9;

function toPage(ranked: readonly Target[], offset: number): FoundTool[] {
  return ranked.slice(offset).map((target, index): FoundTool => {
    const entry = toEntry(target);
    if (offset + index >= withSchemaMax) return entry;
    return { ...entry, input_schema: toInputSchema(target.operation.inputFields) };
  });
}
