import { expect, test } from "bun:test";
import { createDocumentIndexer } from "./document-index.ts";

type Listed = { key: string };

const toText = ({ key }: Listed) => key;
const describeName = ({ key: name }: Listed) => ({
  fields: [{ words: [name], weight: 1, usualLength: 1 }],
  names: [name],
  isDeprecated: false,
});

test("Many documents are indexed in portions, and other work runs between them", async () => {
  const turns: Array<() => void> = [];
  const pause = () => new Promise<void>((resolve) => turns.push(resolve));
  const indexer = createDocumentIndexer({ describe: describeName, toText }, pause);
  const listed = Array.from({ length: 450 }, (_, at) => ({ key: `name${at}` }));
  let isDone = false;
  const updated = indexer.update(listed).then(() => {
    isDone = true;
  });
  for (let portion = 1; portion <= 2; portion += 1) {
    expect([turns.length, isDone]).toEqual([portion, false]);
    turns.at(-1)?.();
    await Promise.resolve();
  }
  await updated;
  expect(turns.length).toBe(2);
});

test("Only new documents are described again, until most of the index is waste", async () => {
  let described = 0;
  const describe = (listed: Listed) => {
    described += 1;
    return describeName(listed);
  };
  const indexer = createDocumentIndexer({ describe, toText }, async () => {});
  const make = (key: string): Listed => ({ key });
  const [kept, first] = [make("kept"), make("first")];
  await indexer.update([kept, first]);
  await indexer.update([kept, make("second")]);
  expect(described).toBe(3);
  // Of three documents in the index, two are gone.
  await indexer.update([kept, make("third")]);
  expect(described).toBe(5);
  const { words } = await indexer.update([kept]);
  expect([described, words.waste()]).toEqual([5, 0.5]);
});
