import { expect, test } from "bun:test";
import { cutSnippet } from "./cut-snippet.ts";
import { toLlmsText } from "./llms-text.ts";
import { readDocs } from "./read-docs.ts";
import { resolveLink } from "./resolve-link.ts";
import { createDocsSearch } from "./search-docs.ts";
import { createAnchors } from "./section-anchors.ts";
import { splitSections } from "./split-sections.ts";

const pages: Record<string, string> = {
  "guide/tea.md": "# Tea\n\nHow to make\ntea.\n\n## Water\n\nBoil the `kettle`.\n",
  "guide/coffee.md": "# Coffee\n\nGrind the beans.\n\n```sh\n# Water\nkettle --boil\n```\n",
  "decisions/001-no-milk.md": "# 1. No milk\n\nThe kettle stays clean.\n",
};
const docs = { paths: Object.keys(pages), read: async (path: string) => pages[path] ?? "" };
const open = () => createDocsSearch(docs, async () => {});
/** The real pages, which are indexed once. */
const real = createDocsSearch(await readDocs(), async () => {});

test("A page is split at its headings, and a comment in code is no heading", () => {
  expect(splitSections("guide/tea.md", pages["guide/tea.md"] ?? "")).toEqual([
    { path: "guide/tea.md", page: "Tea", title: "Tea", anchor: "", text: "How to make tea." },
    {
      path: "guide/tea.md",
      page: "Tea",
      title: "Water",
      anchor: "water",
      text: "Boil the kettle.",
    },
  ]);
  const [coffee, ...others] = splitSections("guide/coffee.md", pages["guide/coffee.md"] ?? "");
  expect(others).toEqual([]);
  expect(coffee?.text).toContain("# Water\nkettle --boil");
});

test("Sections with more of the words come first, and guides before decisions", async () => {
  const found = await open().search("water kettle", 3);
  expect(found.map(({ topic, section }) => [topic, section])).toEqual([
    ["guide/tea", "Water"],
    ["guide/coffee", "Coffee"],
    ["decisions/001-no-milk", "1. No milk"],
  ]);
  expect(found[0]).toMatchObject({ page: "Tea", anchor: "water", snippet: "Boil the kettle." });
});

test("A word of a title with a typing error is found, and words that no page has are not", async () => {
  expect((await open().search("cofee", 1))[0]?.topic).toBe("guide/coffee");
  // Only a text has this one, and a text has a similar word for nearly every word.
  expect(await open().search("ketle", 5)).toEqual([]);
  expect(await open().search("zeppelin", 5)).toEqual([]);
  expect(await open().search("the of ??", 5)).toEqual([]);
});

test("A question of a megabyte costs no more than its first 400 characters", async () => {
  const found = await open().search(`kettle ${"water ".repeat(200_000)}`, 2);
  expect(found).toEqual(await open().search(`kettle ${"water ".repeat(70)}`, 2));
});

test("The documentation is indexed in portions, between which other work runs", async () => {
  let pauses = 0;
  const search = createDocsSearch(await readDocs(), async () => {
    pauses += 1;
  });
  await search.search("backup", 1);
  expect(pauses).toBeGreaterThan(40);
  const before = pauses;
  await search.search("restore", 1);
  // Its own turn, and no portions.
  expect(pauses).toBe(before + 1);
});

test.each([
  "nothingzz",
  "recieve",
  "qwertyui",
  "postgess",
])("Nothing is found for %j", async (words) => {
  expect(await real.search(words, 8)).toEqual([]);
});

test("Searches at once read each page once, and other work runs between them", async () => {
  const reads: string[] = [];
  let waiting = 0;
  let most = 0;
  const pause = async () => {
    waiting += 1;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, waiting);
    waiting -= 1;
  };
  const read = (path: string) => {
    reads.push(path);
    return docs.read(path);
  };
  const { search } = createDocsSearch({ ...docs, read }, pause);
  const found = await Promise.all(Array.from({ length: 50 }, () => search("kettle", 1)));
  expect(found.filter(([first]) => first?.topic === "guide/tea")).toHaveLength(50);
  expect(reads).toEqual([...docs.paths]);
  expect(most).toBe(1);
});

test("A search after one that could not read the pages reads them again", async () => {
  let isBroken = true;
  const read = async (path: string) => {
    if (isBroken) throw new Error("EMFILE");
    return docs.read(path);
  };
  const { search } = createDocsSearch({ ...docs, read }, async () => {});
  await expect(search("kettle", 1)).rejects.toThrow("EMFILE");
  isBroken = false;
  expect(await search("kettle", 1)).toHaveLength(1);
});

test.each([
  ["lost key", "reference/settings"],
  ["lost admin password", "guide/sign-in"],
  ["behind nginx", "guide/on-a-server"],
  ["move to postgres", "guide/postgresql"],
  ["upgrade", "guide/upgrade"],
  ["rotate key", "reference/settings"],
  ["cron timezone", "reference/workflow-triggers"],
  ["forgot password", "guide/sign-in"],
  ["https certificate", "guide/on-a-server"],
  ["port in use", "reference/mistakes"],
  ["add user", "guide/sign-in"],
  ["slack bot", "guide/slack"],
  ["back up every night", "guide/backup"],
  ["wrong password", "guide/sign-in"],
  ["HUB_TRUSTED_PROXIES", "reference/settings"],
  ["connect Claude Desktop", "guide/connect-clients"],
  ["disk full", "reference/settings"],
  ["sign a webhook", "reference/workflow-triggers"],
])("Among the first three sections for %j is one of %s", async (words, topic) => {
  const found = await real.search(words, 3);
  expect(found.map((each) => each.topic)).toContain(topic);
});

test("A snippet is the line with most of the words, cut around the first of them", () => {
  expect(cutSnippet("One line.\n\nTea and milk.", ["milk", "tea"])).toBe("Tea and milk.");
  expect(cutSnippet("- Milk first.\n- Tea first.", ["tea"])).toBe("Tea first.");
  expect(cutSnippet("", ["tea"])).toBe("");
  const long = `${"word ".repeat(60)}tea ${"word ".repeat(60)}`;
  const cut = cutSnippet(long, ["tea"]);
  expect(cut.length).toBeLessThanOrEqual(202);
  expect(cut).toMatch(/^…word .* tea .*word…$/);
});

test("Links lead to pages with sections, to files of the repository, or outside", () => {
  const from = "guide/tea.md";
  expect(resolveLink("../reference/cli.md#a", from)).toEqual({
    kind: "page",
    topic: "reference/cli",
    anchor: "a",
  });
  expect(resolveLink("../decisions/README.md", from)).toMatchObject({ topic: "decisions" });
  expect(resolveLink("#here", from)).toEqual({ kind: "page", topic: "guide/tea", anchor: "here" });
  expect(resolveLink("../../deploy/x", from)).toEqual({ kind: "file", path: "deploy/x" });
  expect(resolveLink("https://bun.sh", from)).toEqual({ kind: "outside", url: "https://bun.sh" });
});

test("Sections with the same title have anchors of their own", () => {
  const toAnchor = createAnchors();
  const titles = ["`hub` [row](x.md)", "A, b: c", "A b c", "Größe"];
  expect(titles.map(toAnchor)).toEqual(["hub-row", "a-b-c", "a-b-c-1", "größe"]);
});

test("llms.txt has the address for clients and each page of the index", async () => {
  const { paths, read } = await readDocs();
  const text = toLlmsText({
    index: await read("README.md"),
    mcpUrl: "https://hub.example/mcp",
    toUrl: (topic) => `https://hub.example/help/${topic}`,
  });
  expect(text).toStartWith("# Hub\n\n> ");
  expect(text).toContain("A client connects to https://hub.example/mcp (");
  const guides = paths.filter((path) => path.startsWith("guide/"));
  expect(guides.length).toBeGreaterThan(20);
  for (const path of guides) {
    expect(text).toContain(`(https://hub.example/help/${path.replace(/\.md$/, "")})`);
  }
});
