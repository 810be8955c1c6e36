import { type ConnectorDefinition, defineConnector, wick } from "@hub/connector";
import { openTestEmbeddings } from "../../../packages/server/src/embeddings/testing/open-test-embeddings.ts";
import { hubSearch } from "../../../packages/server/src/mcp/tools/hub-search.ts";
import {
  openTestOperations,
  toTestCall,
} from "../../../packages/server/src/operations/testing/open-test-operations.ts";
import { insertRow } from "../../../packages/server/src/store/rows/rows-table.ts";
import { type Operation, toAddress } from "../corpus-file.ts";
import { describeOperation, type Engine } from "./engine.ts";

/** Answers are not cut. */
const resultBytesMax = 64 * 1024 * 1024;
const keyCharsMax = 64;
/** Ranks do not depend on the speed of the endpoint: a search waits for its vectors. */
const patientTimers = { now: Date.now, after: () => () => {} };

/** An endpoint for embeddings, with which the hub also compares meanings. */
export type HubEmbeddings = { url: string; model: string };

/** The hub's own search, over one row of each connector, in this process. */
export async function openHubEngine(
  corpus: readonly Operation[],
  embeddings: HubEmbeddings | null = null,
): Promise<Engine> {
  const defined = toConnectors(corpus);
  const [first, ...others] = defined.map(({ definition }) => definition);
  if (first === undefined) throw new Error("The corpus is empty.");
  const opened: Array<ReturnType<typeof openTestEmbeddings>> = [];
  const hub = await openTestOperations(first, {
    others,
    resultBytesMax,
    ...(embeddings !== null && {
      openEmbeddings(store) {
        const vectors = openTestEmbeddings(store, { ...embeddings, timers: patientTimers });
        opened.push(vectors);
        return vectors;
      },
    }),
  });
  const addresses = new Map<string, string>();
  for (const { definition, row, keys } of defined) {
    const id = crypto.randomUUID();
    await insertRow(hub.store.db, {
      id,
      connectorKey: definition.key,
      ...row,
      tags: ["everyone"],
      values: [],
      createdAt: Date.now(),
    });
    for (const [key, address] of keys) addresses.set(`conn:${id}/${key}`, address);
  }

  await hub.operations.catalogue.prepareSearch();
  for (const { texts } of opened) {
    await texts.complete();
    const made = texts.progress();
    if (made.vectors < made.texts) {
      throw new Error(`The endpoint made ${made.vectors} vectors for ${made.texts} texts.`);
    }
  }

  const call = toTestCall([]);
  const deps = {
    operations: hub.operations,
    buildInfo: { hub_version: "bench", server_build_time: "", server_commit: "" },
    baseUrl: "http://127.0.0.1",
  };
  return {
    name: embeddings === null ? "hub_search" : "hub_search with embeddings",
    async search(query, limit) {
      const { tools } = await hub.operations.catalogue.search(call.caller, { query, limit });
      return tools.map(({ tool_id }) => addresses.get(tool_id) ?? tool_id);
    },
    async measureAnswer(query) {
      const { text } = await hubSearch.accept({ query })(deps, call);
      return Buffer.byteLength(text);
    },
    async close() {
      for (const vectors of opened) await vectors.close();
      await hub.close();
    },
  };
}

/** A connector for each service of a corpus, with the row that it gets. */
export function toConnectors(corpus: readonly Operation[]) {
  const connectors = Map.groupBy(corpus, ({ connector }) => connector);
  return [...connectors.values()].map(toConnector);
}

/** The connector of these operations, its row, and the address of each operation by its key. */
function toConnector(operations: readonly Operation[], index: number) {
  const [{ connector, label, about } = emptyRow] = operations;
  const keys = new Map<string, string>();
  const defined = operations.map((operation) => {
    const key = toFreeKey(operation.key, keys);
    keys.set(key, toAddress(operation));
    return [key, toOperation(operation)] as const;
  });
  const definition: ConnectorDefinition = defineConnector({
    key: `c${index}`,
    name: connector,
    icon: "plug",
    tier: "builtin",
    description: about === "" ? connector : about,
    config: {},
    operations: Object.fromEntries(defined),
  });
  return { definition, row: { label, description: about }, keys };
}

const emptyRow = { connector: "", label: "", about: "" };

function toOperation(operation: Operation) {
  const { name, key, inputs } = operation;
  const description = describeOperation(operation);
  const inputKeys = new Map<string, string>();
  for (const input of inputs) {
    const wireKey = toWireKey(input);
    if (wireKey !== "") inputKeys.set(wireKey, input);
  }
  return {
    name: name === "" ? key : name,
    description: description === "" ? name || key : description,
    input: Object.fromEntries(
      [...inputKeys].map(([wireKey, input]) => [input, wick(`key=${wireKey}`)]),
    ),
    run: () => ({}),
  };
}

/** A key that the hub accepts: foreign corpora may have others, or longer ones. */
function toFreeKey(key: string, taken: ReadonlyMap<string, string>): string {
  const wanted = toWireKey(key) || "operation";
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? "" : `_${number}`;
    const free = `${wanted.slice(0, keyCharsMax - ending.length)}${ending}`;
    if (!taken.has(free)) return free;
  }
}

function toWireKey(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "")
    .slice(0, keyCharsMax);
}
