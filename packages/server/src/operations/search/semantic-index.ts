import { createHash } from "node:crypto";
import type { OperationSpec } from "@hub/connector";
import { replaceText } from "@hub/connector";
import type { TextVectors } from "../../embeddings/text-vectors.ts";
import type { VectorTable } from "../../embeddings/vector-table.ts";
import { partCharsMin } from "../../secrets/needles/needle-forms.ts";
import type { Catalogue, CatalogueRow } from "../catalogue/tool-catalogue.ts";
import { removeHubTokens } from "../masking/hub-tokens.ts";
import type { DocumentIndex } from "./document-index.ts";
import { readSecrets } from "./read-secrets.ts";
import type { ToolIndex } from "./tool-index.ts";

/** Where the vectors of an index's documents are: the slot of each document by its id. */
export type SemanticIndex = { table: VectorTable; rows: Int32Array; operations: Int32Array };

/** Longer texts are cut: models read only so much. */
const textCharsMax = 1_000;
/** A hash takes about 2 µs, and the secrets of a row up to 100 µs. */
const hashesPerPortion = 100;

/**
 * Names the texts of a catalogue to the vectors, and finds the slots of its documents. A text of a
 * row is its label and description without its secrets, a text of an operation its connector, name and description.
 */
export async function buildSemanticIndex(
  vectors: Pick<TextVectors, "follow">,
  { rows }: Catalogue,
  index: ToolIndex,
  pause: () => Promise<void>,
): Promise<SemanticIndex> {
  const sources = new Map<string, () => string>();
  const rowHashes = createHashes(index.rows);
  const operationHashes = createHashes(index.operations);
  let count = 0;
  const add = async (list: Array<string | undefined>, id: number, readText: () => string) => {
    const hash = hashText(readText());
    list[id] = hash;
    if (!sources.has(hash)) sources.set(hash, readText);
    count += 1;
    if (count % hashesPerPortion === 0) await pause();
  };
  for (const listed of rows) {
    const { id, operationIds } = index.find(listed);
    await add(rowHashes, id, () => describeRow(listed));
    for (const [at, operation] of listed.operations.entries()) {
      const operationId = operationIds[at] ?? 0;
      // Many rows have the same operations.
      if (operationHashes[operationId] !== undefined) continue;
      await add(operationHashes, operationId, () => describeOperation(listed, operation));
    }
  }
  const table = vectors.follow({
    hashes: new Set(sources.keys()),
    readText: (hash) => sources.get(hash)?.() ?? "",
  });
  const toSlots = (list: ReadonlyArray<string | undefined>) =>
    Int32Array.from(list, (hash) => (hash === undefined ? -1 : table.toSlot(hash)));
  return { table, rows: toSlots(rowHashes), operations: toSlots(operationHashes) };
}

function createHashes({ words }: DocumentIndex): Array<string | undefined> {
  return Array.from({ length: words.size() }, () => undefined);
}

/** An admin may have written a secret into the description. */
function describeRow({ row }: CatalogueRow): string {
  let text = [row.label, row.description].join("\n");
  for (const secret of readSecrets(row)) {
    if (secret.length >= partCharsMin) text = replaceText(text, secret, " ");
  }
  return toText([text]);
}

function describeOperation(
  { connector }: CatalogueRow,
  { name, description }: OperationSpec,
): string {
  return toText([`${connector.name}: ${name}`, description]);
}

function toText(parts: readonly string[]): string {
  return removeHubTokens(parts.join("\n")).slice(0, textCharsMax).toWellFormed();
}

function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
