import { expect, test } from "bun:test";
import { serveEmbeddings } from "../../../packages/server/src/embeddings/testing/serve-embeddings.ts";
import type { Operation } from "../corpus-file.ts";
import { createFts5Engine } from "./fts5.ts";
import { openHubEngine } from "./hub.ts";
import { createMiniSearchEngine } from "./minisearch.ts";

const corpus: Operation[] = [
  {
    connector: "Tracker",
    label: "Bugs",
    about: "",
    key: "issues/list-for-repo",
    name: "List issues",
    description: "Lists the open issues.",
    inputs: ["perPage", "per_page", "?"],
  },
  {
    connector: "Tracker",
    label: "Bugs",
    about: "",
    key: "issues/list.for.repo",
    name: "List stars",
    description: "Lists those who gave a star.",
    inputs: [],
    deprecated: true,
  },
  {
    connector: "Chat",
    label: "Team chat",
    about: "The whole team",
    key: "send",
    name: "Send a message",
    description: "",
    inputs: ["text"],
  },
];

test("Every engine finds the operations of a foreign corpus by their addresses", async () => {
  for (const open of [openHubEngine, createMiniSearchEngine, createFts5Engine]) {
    const engine = await open(corpus);
    try {
      expect(await engine.search("message to the team", 1)).toEqual(["Chat/send"]);
      expect(await engine.search("open issues", 1)).toEqual(["Tracker/issues/list-for-repo"]);
      expect(await engine.search("deprecated", 5)).toEqual(["Tracker/issues/list.for.repo"]);
      expect(await engine.search("?", 5)).toEqual([]);
    } finally {
      await engine.close();
    }
  }
});

test("With embeddings the hub's search also finds an operation that shares no word with the query", async () => {
  const server = serveEmbeddings();
  const engine = await openHubEngine(corpus, { url: server.url, model: "test" });
  try {
    expect(await engine.search("conversation", 1)).toEqual(["Chat/send"]);
    expect(await engine.search("open issues", 1)).toEqual(["Tracker/issues/list-for-repo"]);
  } finally {
    await engine.close();
    await server.stop();
  }
});

test("The size of an answer is that of hub_search", async () => {
  const engine = await openHubEngine(corpus);
  try {
    const none = (await engine.measureAnswer("zebra")) ?? 0;
    expect(none).toBeGreaterThan(0);
    expect(await engine.measureAnswer("message")).toBeGreaterThan(none);
  } finally {
    await engine.close();
  }
});
