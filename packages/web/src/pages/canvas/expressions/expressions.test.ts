import { describe, expect, test } from "bun:test";
import { emptyBody } from "../graph/body.ts";
import { applyCompletion, findCompletions, toSample } from "./find-completions.ts";
import { listSamples } from "./list-samples.ts";

const samples = {
  Event: { Type: "webhook", Payload: { total: 5, items: [1, 2], "not-a-name": 1 } },
  Node: { check: { ok: true } },
};

/** Completes at `|`. */
const complete = (given: string) => {
  const at = given.indexOf("|");
  return findCompletions(given.replace("|", ""), at, samples);
};
const names = (given: string) => complete(given)?.options.map(({ name }) => name) ?? null;

describe("Completion", () => {
  test("An empty expression offers what can be read, and a path the members of its value", () => {
    expect(names("{{|")).toEqual(["Event", "Node"]);
    expect(names("{{.|}}")).toEqual(["Event", "Node"]);
    expect(names("{{.Event.Payload.|}}")).toEqual(["total", "items"]);
    expect(names("a {{ .Node.check.o|")).toEqual(["ok"]);
    expect(names("{{if eq .Event.T|")).toEqual(["Type"]);
    expect(names("{{(.Event.|")).toEqual(["Type", "Payload"]);
  });

  test("Nothing is offered outside of expressions, in texts, and for unknown values", () => {
    for (const given of [
      "|",
      "{{.Event}} .Event.|",
      '{{eq "x.|',
      "{{.Event.Payload.total.|",
      "{{.Nothing.|",
      "{{.Event.Type|",
      "{{upper |",
    ]) {
      expect(names(given)).toBeNull();
    }
  });

  test("Each offer has its last real value", () => {
    expect(complete("{{.Event.Payload.|")?.options).toEqual([
      { name: "total", sample: "5" },
      { name: "items", sample: "list of 2" },
    ]);
    expect(toSample("a\nb".repeat(60))).toEndWith("…");
    expect(toSample({ a: 1 })).toBe("{ a }");
    expect(toSample(undefined)).toBe("");
  });

  test("A choice replaces what is typed, and closes an open expression", () => {
    const choose = (given: string) => {
      const found = complete(given);
      const [first] = found?.options ?? [];
      if (found === null || first === undefined) return null;
      const { text, at } = applyCompletion(given.replace("|", ""), found, first);
      return `${text.slice(0, at)}|${text.slice(at)}`;
    };
    expect(choose("{{|")).toBe("{{.Event|}}");
    expect(choose("{{.Ev|}} b")).toBe("{{.Event|}} b");
    expect(choose("a {{.Event.Pay| | json}}")).toBe("a {{.Event.Payload| | json}}");
  });
});

describe("Samples", () => {
  test("An item reads what runs before it, and the names of secrets", () => {
    const body = {
      ...emptyBody,
      nodes: ["a", "b", "c"].map((id) => ({ id, type: "set" })),
      edges: [{ from: "a", to: "b" }],
      settings: { env: { REGION: "north" } },
    };
    const found = listSamples({
      body,
      item: { id: "b", type: "set" },
      secrets: ["KEY"],
      run: null,
    });
    expect(found.Node).toEqual({ a: undefined });
    expect(found.Env).toEqual({ REGION: "north" });
    expect(found.Secret).toEqual({ KEY: "[secret]" });
    expect(found).not.toHaveProperty("Item");
  });
});
