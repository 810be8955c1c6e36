import { type ConnectorDefinition, defineConnector, wick } from "@hub/connector";
import { toOperations } from "../../../packages/server/src/connectors/by-row/row-operation.ts";
import { openTestEmbeddings } from "../../../packages/server/src/embeddings/testing/open-test-embeddings.ts";
import {
  openTestOperations,
  toTestCall,
} from "../../../packages/server/src/operations/testing/open-test-operations.ts";
import { insertRow } from "../../../packages/server/src/store/rows/rows-table.ts";
import { type Operation, toAddress } from "../corpus-file.ts";
import { type AskHub, createAsk } from "./ask-hub.ts";
import { describeOperation, type Engine } from "./engine.ts";
import { toRowId } from "./row-id.ts";

/** Answers are not cut. */
const resultBytesMax = 64 * 1024 * 1024;
const keyCharsMax = 64;
/** Ranks do not depend on the speed of the endpoint: a search waits for its vectors. */
const patientTimers = { now: Date.now, after: () => () => {} };

/** An endpoint for embeddings, with which the hub also compares meanings. */
export type HubEmbeddings = { url: string; model: string };

export type HubEngine = Engine & { ask: AskHub };

/** The hub's own search, over the rows of these operations, in this process. */
export async function openHubEngine(
  corpus: readonly Operation[],
  embeddings: HubEmbeddings | null = null,
): Promise<HubEngine> {
  const defined = await toConnectors(corpus);
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
  let place = 0;
  for (const { definition, rows } of defined) {
    for (const { label, description, keys } of rows) {
      const id = toRowId(place);
      place += 1;
      await insertRow(hub.store.db, {
        id,
        connectorKey: definition.key,
        label,
        description,
        tags: ["everyone"],
        values: [],
        createdAt: Date.now(),
      });
      for (const [key, address] of keys) addresses.set(`conn:${id}/${key}`, address);
    }
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
  const ask = createAsk(hub.operations, call);
  return {
    name: embeddings === null ? "hub_search" : "hub_search with embeddings",
    async search(query, limit) {
      const { tools } = await hub.operations.catalogue.search(call.caller, { query, limit });
      return tools.map(({ tool_id }) => addresses.get(tool_id) ?? tool_id);
    },
    async measureAnswer(query) {
      // Clients cannot send more.
      const sent = { query: query.slice(0, 1_000) };
      return Buffer.byteLength(await ask.call("hub_search", sent));
    },
    ask,
    async close() {
      for (const vectors of opened) await vectors.close();
      await hub.close();
    },
  };
}

/** A connector for each service of a corpus, with its rows. */
export async function toConnectors(corpus: readonly Operation[]) {
  const connectors = Map.groupBy(corpus, ({ connector }) => connector);
  return await Promise.all([...connectors.values()].map(toConnector));
}

/** The connector of these operations, and its rows with the address of each operation by its key. */
async function toConnector(operations: readonly Operation[], index: number) {
  const [{ connector, about } = emptyRow] = operations;
  const rows = [...Map.groupBy(operations, ({ label }) => label)].map(([label, ofRow]) => {
    const keys = new Map<string, string>();
    for (const operation of ofRow) keys.set(toFreeKey(operation.key, keys), toAddress(operation));
    return { label, description: ofRow[0]?.about ?? "", keys, operations: ofRow };
  });
  // The rows of a connector have the same operations.
  const [first] = rows;
  const keys = [...(first?.keys.keys() ?? [])];
  const listed = (first?.operations ?? []).map((one, at) => [keys[at] ?? "", one] as const);
  const definition: ConnectorDefinition = defineConnector({
    key: `c${index}`,
    name: connector,
    icon: "plug",
    tier: "builtin",
    description: about === "" ? connector : about,
    config: {},
    operations: Object.fromEntries(listed.map(([key, one]) => [key, toOperation(one)])),
  });
  const described = await readDescribed(listed);
  return {
    // The hub reads the operations of an outside system in this form. The cast is safe: none is called.
    definition:
      described.size === 0
        ? definition
        : {
            ...definition,
            operations: described as ConnectorDefinition["operations"] & Map<string, never>,
          },
    rows,
  };
}

/** The operations with a schema, as the hub reads them from its database. */
async function readDescribed(listed: ReadonlyArray<readonly [string, Operation]>) {
  const stored = listed.flatMap(([key, operation]) => {
    const { schema } = operation;
    if (schema === undefined) return [];
    const { name } = operation;
    const description = describeOperation(operation);
    const definition = { name, description, inputSchema: JSON.stringify(schema) };
    const others = { outputSchema: null, destructive: false, idempotent: false, binding: "null" };
    return [
      {
        key,
        sourceName: key,
        definition: { ...definition, ...others },
        approvedAt: 1,
        pending: null,
        goneAt: null,
      },
    ];
  });
  return await toOperations(stored, async () => {});
}

const emptyRow = { connector: "", about: "" };

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
