import { toInputSchema } from "@hub/connector";
import type { FoundTool } from "@hub/contract/tool-entry.ts";
import MiniSearch from "minisearch";
import type { Caller } from "../caller.ts";
import type { Catalogue, CatalogueTool } from "./tool-catalogue.ts";

const resultsMax = 50;
/** So many of the best results carry their input schema: search, then execute, needs no more. */
const withSchemaMax = 5;
/**
 * So much of a query is searched by its words: each is compared with every word of the index, in
 * memory that grows with the square of its length.
 */
const queryCharsMax = 400;

type Document = { id: number; label: string; name: string; description: string; connector: string };

/** Search over one catalogue. Built when first asked, since most changes are never searched. */
export type ToolSearch = {
  search(caller: Caller, query: string): { tools: FoundTool[]; total: number };
};

export function createToolSearch(catalogue: Catalogue): ToolSearch {
  const haystacks = catalogue.tools.map(({ entry, target }) =>
    `${entry.label}\n${entry.name}\n${target.operation.description}`.toLowerCase(),
  );
  const places = new Map(catalogue.tools.map((tool, index) => [tool, index]));
  let words: MiniSearch<Document> | null = null;

  return {
    search(caller, query) {
      const needle = query.trim().toLowerCase();
      const visible = new Set(catalogue.visibleTo(caller));
      if (needle === "") return toResults([...visible]);
      words ??= indexWords(catalogue);
      const byScore = new Map<CatalogueTool, number>();
      for (const hit of words.search(boundQuery(query))) {
        const tool = catalogue.tools[hit.id];
        if (tool !== undefined && visible.has(tool)) byScore.set(tool, hit.score);
      }
      const containing = [...visible].filter((tool) =>
        haystacks[places.get(tool) ?? -1]?.includes(needle),
      );
      const found = new Set(containing);
      const others = [...byScore.keys()].filter((tool) => !found.has(tool));
      return toResults([...rank(containing, byScore), ...rank(others, byScore)]);
    },
  };
}

function indexWords(catalogue: Catalogue): MiniSearch<Document> {
  const index = new MiniSearch<Document>({
    fields: ["label", "name", "description", "connector"],
    tokenize: toWords,
    searchOptions: { prefix: true, boost: { name: 3, label: 2 }, fuzzy: 0.2 },
  });
  index.addAll(
    catalogue.tools.map(({ entry, target }, id) => ({
      id,
      label: entry.label,
      name: `${entry.name} ${target.operation.key}`,
      description: target.operation.description,
      connector: entry.connector,
    })),
  );
  return index;
}

/** Keys such as "list_issues" are words to whoever types them. */
function toWords(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
}

function boundQuery(query: string): string {
  return [...new Set(toWords(query.slice(0, queryCharsMax)))].join(" ");
}

/** Best first; equals keep the catalogue's order, so that one query has one answer. */
function rank(tools: CatalogueTool[], scores: Map<CatalogueTool, number>): CatalogueTool[] {
  return tools
    .map((tool, place) => ({ tool, place, score: scores.get(tool) ?? 0 }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .map(({ tool }) => tool);
}

function toResults(tools: CatalogueTool[]): { tools: FoundTool[]; total: number } {
  const shown = tools.slice(0, resultsMax).map(({ entry, target }, place): FoundTool => {
    if (place >= withSchemaMax) return entry;
    return { ...entry, input_schema: toInputSchema(target.operation.inputFields) };
  });
  return { tools: shown, total: tools.length };
}
