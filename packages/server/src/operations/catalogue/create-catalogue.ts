import type { SeenRevision } from "../../caller.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { RowDirectory } from "../../connectors/rows/row-directory.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db } from "../../store/database/database.ts";
import { admit } from "../admission/admit.ts";
import { toWorld } from "../admission/call.ts";
import type { ToolCatalogue } from "../ports.ts";
import { createToolSearch } from "../search/search-tools.ts";
import { createSemanticSearch, type SemanticDeps } from "../search/semantic-search.ts";
import { browseTools } from "./browse-tools.ts";
import { findToolCall } from "./find-operation.ts";
import { createKeptLists } from "./kept-lists.ts";
import { nameRows } from "./name-rows.ts";
import { readAccountLabels } from "./read-account-labels.ts";
import { resolveTool } from "./resolve-tool.ts";
import {
  type Catalogue,
  createCatalogue,
  listEntries,
  listRowEntries,
  listVisibleRows,
  toDetail,
} from "./tool-catalogue.ts";

type CatalogueDeps = {
  directory: RowDirectory;
  registry: ConnectorRegistry;
  ring: RingHolder;
  now(): number;
  /** Where the accounts of users are stored. */
  db: Db;
  /** Without it, searches compare operations by words alone. */
  embeddings?: SemanticDeps | null;
};

/** Lists and searches what callers may call. The snapshot is made again when rows change. */
export function createToolCatalogue(deps: CatalogueDeps): ToolCatalogue {
  const { embeddings, ring } = deps;
  let catalogue: Catalogue | null = null;
  const lists = createKeptLists();
  const search = createToolSearch(
    embeddings ? createSemanticSearch({ ...embeddings, ring }, yieldToEventLoop) : null,
  );

  async function currentCatalogue(seen?: SeenRevision): Promise<Catalogue> {
    const directory = await deps.directory.current(seen);
    if (catalogue?.stamp !== directory.stamp) catalogue = createCatalogue(deps, directory);
    return catalogue;
  }

  return {
    async list(caller) {
      const rows = listVisibleRows(await currentCatalogue(caller.seen), caller);
      return await listEntries(rows, yieldToEventLoop);
    },
    async listAll(caller, toAnswer) {
      const rows = listVisibleRows(await currentCatalogue(caller.seen), caller);
      return await lists.get(rows, toAnswer);
    },
    async listRows(caller) {
      const rows = listVisibleRows(await currentCatalogue(caller.seen), caller);
      const used = rows.map(({ row }) => row);
      const accounts = await readAccountLabels(deps.db, caller, used);
      return await listRowEntries(rows, accounts, yieldToEventLoop);
    },
    async nameRows(caller) {
      const { registry, now } = deps;
      const directory = await deps.directory.current(caller.seen);
      return nameRows({ registry, directory, now, hubId: null }, caller);
    },
    async search(caller, wanted) {
      return await search.search(await currentCatalogue(caller.seen), caller, wanted);
    },
    async browse(caller, wanted) {
      const of = await currentCatalogue(caller.seen);
      return await browseTools(of, caller, (query) => search.rank(of, caller, query), wanted);
    },
    async prepareSearch() {
      await search.prepare(await currentCatalogue());
    },
    async get(caller, tool) {
      const directory = await deps.directory.current(caller.seen);
      const world = toWorld(deps, directory);
      const asker = { path: "client", caller } as const;
      const { registry } = deps;
      const call =
        typeof tool === "string"
          ? findToolCall({ registry, directory }, asker, tool)
          : resolveTool({ ...world, registry, directory }, asker, tool);
      admit(world, call, "visibility");
      admit(world, call, "access");
      return toDetail(call, await readAccountLabels(deps.db, caller, [call.row]));
    },
  };
}
