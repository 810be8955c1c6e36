import MiniSearch from "minisearch";
import { type Operation, toAddress } from "../corpus-file.ts";
import { type Engine, joinTexts } from "./engine.ts";

/** BM25 with the default options of minisearch, over all texts in one field. */
export function createMiniSearchEngine(corpus: readonly Operation[]): Engine {
  const index = new MiniSearch({ fields: ["text"] });
  index.addAll(corpus.map((each) => ({ id: toAddress(each), text: joinTexts(each) })));
  return {
    name: "minisearch",
    async search(query, limit) {
      return index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => String(id));
    },
    measureAnswer: async () => null,
    close: async () => {},
  };
}
