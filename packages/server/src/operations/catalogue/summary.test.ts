import { describe, expect, test } from "bun:test";
import { summaryCharsMax, toSummary } from "./summary.ts";

const summarize = (name: string, description: string) => toSummary({ name, description });

describe("the summary of an operation", () => {
  test.each<[string, string, string, string]>([
    [
      "is the first sentence",
      "List issues",
      "Lists open issues.\nNewest first.",
      "Lists open issues.",
    ],
    ["is the whole line without an end", "Post", "posts a\n  message", "posts a message"],
    ["ends with its paragraph", "Save", "Saves the draft.\n\nbody is it.", "Saves the draft."],
    ["ends with an unfinished one", "Save", "Saves the draft\n \n\t\nbody is", "Saves the draft"],
    ["ends with a finished line", "Save", "Saves the draft.\nbody is", "Saves the draft."],
    ["does not say it as a paragraph", "Get a gist", "Get a gist\n\nReads one.", "Reads one."],
    [
      "goes on after an abbreviation",
      "Post",
      "Takes a name, e.g. Ada. More.",
      "Takes a name, e.g. Ada.",
    ],
    [
      "goes on after a number",
      "Post",
      "Needs version 1.2 of it. More.",
      "Needs version 1.2 of it.",
    ],
    [
      "goes on after one short word",
      "Post",
      "Note. Posts it again. More.",
      "Note. Posts it again.",
    ],
    ["ends at a question", "Who am I", "Who is the caller? Answers.", "Who is the caller?"],
    ["does not say the name again", "Get a gist", "Get a gist\nReads one gist.", "Reads one gist."],
    [
      "ignores case and the full stop",
      "Get a gist",
      "Get A Gist. Reads one. More.",
      "Reads one. More.",
    ],
    [
      "leaves out a name before a dash",
      "Get a gist",
      "Get a gist - reads one gist",
      "reads one gist",
    ],
    ["is empty if there is only the name", "Get a gist", " get a gist. ", ""],
    [
      "keeps a name that begins a sentence",
      "List",
      "List the members of it.",
      "List the members of it.",
    ],
    [
      "keeps that it is deprecated",
      "List",
      "Deprecated.\nList\nLists them all.",
      "Deprecated. Lists them all.",
    ],
    [
      "keeps what to use instead",
      "Post",
      "Deprecated: use Send. More here.",
      "Deprecated: use Send.",
    ],
    ["is empty without a description", "Get", "", ""],
    [
      "has no addresses of links and no marks of quotes",
      "Star",
      "> [!NOTE]\n> Stars a [gist](https://docs.example/gists#star). More.",
      "Stars a gist.",
    ],
  ])("%s", (_, name, description, expected) => {
    expect(summarize(name, description)).toBe(expected);
  });

  test("It is cut at a word, never inside a character", () => {
    const long = summarize("Post", `Posts ${"many words ".repeat(30)}`);
    expect(long.length).toBeLessThanOrEqual(summaryCharsMax);
    expect(long).toMatch(/ (?:many|words)…$/);
    const faces = summarize("Post", "😀".repeat(200));
    expect(faces.isWellFormed()).toBeTrue();
    expect(faces.length).toBeLessThanOrEqual(summaryCharsMax);
  });

  test("A hostile description has a short summary, too", () => {
    const parts = [" ", "\n", "[", "(", "[a](", ".", '."', "> ", "e.g. A", "\u2003"];
    for (const part of parts) {
      const text = part.repeat(200_000);
      expect(summarize("Get", `Get${text}x`).length).toBeLessThanOrEqual(summaryCharsMax);
      expect(summarize(text.slice(0, 1000), text).length).toBeLessThanOrEqual(summaryCharsMax);
    }
  });
});
