import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import type { Catalogue, CatalogueRow } from "../catalogue/tool-catalogue.ts";
import { createDocumentIndexer, type Described, type DocumentIndex } from "./document-index.ts";
import { toNameParts, toNameWords, toWords } from "./search-words.ts";

/**
 * The index of a catalogue. Rows and operations have separate indexes, because ten thousand rows of
 * one connector have the same few operations. A tool's score is the sum of both.
 */
export type ToolIndex = {
  rows: DocumentIndex;
  operations: DocumentIndex;
  find(row: CatalogueRow): IndexedRow;
};

/** The ids of a row and of its operations, in their order. */
export type IndexedRow = { id: number; operationIds: Uint32Array };

/** Makes the index of each catalogue from the one before: a change of a row costs one document. */
export type ToolIndexer = {
  update(catalogue: Pick<Catalogue, "stamp" | "rows">): Promise<ToolIndex>;
};

type RowDocument = { key: string; row: Row; connector: RegisteredConnector };

/** `pause` is awaited between portions of the work, so that other requests are served. */
export function createToolIndexer(pause: () => Promise<void>): ToolIndexer {
  const rowIndexer = createDocumentIndexer<string, RowDocument>(
    { describe: describeRow, toText: ({ row }) => `${row.label}\n${row.description}` },
    pause,
  );
  const operationIndexer = createDocumentIndexer<Operation, { key: Operation }>(
    { describe: ({ key }) => describeOperation(key), toText: ({ key }) => toOperationText(key) },
    pause,
  );
  return {
    async update({ rows: listed }) {
      // Rows of one connector share its operations, unless they bring their own.
      const sources = new Set(listed.map(({ row }) => row.operations));
      const specs = [...sources].flatMap((operations) => [...operations.values()]);
      const rows = await rowIndexer.update(
        listed.map(({ row, connector }) => ({ key: toRowKey(row, connector), row, connector })),
      );
      const operations = await operationIndexer.update(specs.map((key) => ({ key })));
      const indexed = new Map<CatalogueRow, IndexedRow>(
        listed.flatMap((one) => {
          const id = rows.findId(toRowKey(one.row, one.connector));
          return [one, ...(one.forUsers === undefined ? [] : [one.forUsers])].map((shown) => {
            const operationIds = Uint32Array.from(shown.operations, operations.findId);
            return [shown, { id, operationIds }] as const;
          });
        }),
      );
      return { rows, operations, find: (row) => findIndexed(indexed, row) };
    },
  };
}

function findIndexed(
  indexed: ReadonlyMap<CatalogueRow, IndexedRow>,
  row: CatalogueRow,
): IndexedRow {
  const { partOf } = row;
  if (partOf === undefined) return indexed.get(row) ?? unknownRow;
  const { id, operationIds } = findIndexed(indexed, partOf.whole);
  return { id, operationIds: Uint32Array.from(partOf.places, (at) => operationIds[at] ?? 0) };
}

const unknownRow: IndexedRow = { id: 0, operationIds: new Uint32Array(0) };

/** Everything that is indexed of a row. Each snapshot of the rows has new objects for the same rows. */
function toRowKey({ id, label, description }: Row, { name }: RegisteredConnector): string {
  return [id, name, label, description].join("\0");
}

function describeRow({ row, connector }: RowDocument): Described {
  return {
    fields: [
      { words: toNameWords(row.label), weight: 2, usualLength: 3 },
      { words: toNameWords(connector.name), weight: 2, usualLength: 1 },
      { words: toWords(row.description), weight: 1, usualLength: 10 },
    ],
    names: [],
    isDeprecated: false,
  };
}

function describeOperation(operation: Operation): Described {
  const { name, key, description, inputFields } = operation;
  const nameParts = toNameParts(name);
  return {
    fields: [
      {
        words: [...toNameWords(name), ...toNameWords(key)],
        weight: 3,
        usualLength: 6,
        nameLength: new Set(nameParts).size,
      },
      { words: toWords(description), weight: 1, usualLength: 15 },
      {
        words: inputFields.flatMap((field) => toNameWords(field.key)),
        weight: 0.5,
        usualLength: 6,
      },
      { words: toInputWords(inputFields), weight: 0.25, usualLength: 30 },
    ],
    names: [nameParts.join(" "), toNameParts(key).join(" ")],
    isDeprecated: deprecatedPattern.test(toOperationText(operation)),
  };
}

/** The words of the inputs' descriptions, which a request often says instead of those of the operation. */
function toInputWords(fields: Operation["inputFields"]): string[] {
  return fields
    .slice(0, describedInputsMax)
    .flatMap(({ description = "" }) => toWords(description.slice(0, inputCharsMax)));
}

/** Only so many inputs are described to the index, and so much of each: an outside system may send more. */
const describedInputsMax = 50;
const inputCharsMax = 200;

/** Queries have no line breaks, so no match spans both parts. */
function toOperationText({ name, description }: Operation): string {
  return `${name}\n${description}`;
}

/** An operation that calls itself deprecated, at the start of a text or with a mark. */
const deprecatedPattern =
  /^[\W_]*deprecated\b|[[(@*]deprecated\b|\bdeprecated[:!]|\bis deprecated\b/im;
