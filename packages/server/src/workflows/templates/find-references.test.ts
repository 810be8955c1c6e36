import { describe, expect, test } from "bun:test";
import { findReferences } from "./find-references.ts";
import { parseTemplate } from "./parse/parser.ts";

function find(source: string) {
  return findReferences(parseTemplate(source));
}

/** The nodes of a template; those that are read without a test have a `!`. */
function findNodes(source: string): string[] {
  return find(source).nodes.map(({ id, isTested }) => (isTested ? id : `${id}!`));
}

describe("findReferences", () => {
  test("finds nodes, secrets, variables and the item, wherever they stand", () => {
    const source = `{{.Node.a.x}}{{if eq .Node.b.y 1}}{{range .Node.c}}{{$.Node.d}}{{end}}{{end}}
      {{basicAuth .Env.USER .Secret.KEY}}{{$x := (index .Node "e" "f")}}{{$x | printf "%s" .Secret.OTHER}}
      {{with .Env.STAGE}}{{.}}{{else}}{{index $.Env "other"}}{{end}}{{.Item.id}}`;
    expect(find(source)).toEqual({
      nodes: ["a", "b", "c", "d", "e"].map((id) => ({ id, isTested: false })),
      secrets: ["KEY", "OTHER"],
      env: ["USER", "STAGE", "other"],
      event: [],
      usesItem: true,
      reads: [
        { root: "Node", path: ["a", "x"], isTested: false },
        { root: "Node", path: ["b", "y"], isTested: false },
        { root: "Node", path: ["c"], isTested: false },
        { root: "Node", path: ["d"], isTested: false },
        { root: "Node", path: ["e", "f"], isTested: false },
        { root: "Node", path: ["e"], isTested: false },
      ],
    });
  });

  test("finds whole paths, and those whose absence the template tests for", () => {
    const source = `{{if .Node.a.x}}{{.Node.a.x}}{{.Node.a.y}}{{end}}{{.Event.Payload.n | default 1}}`;
    expect(find(source).reads).toEqual([
      { root: "Node", path: ["a", "x"], isTested: true },
      { root: "Node", path: ["a", "y"], isTested: false },
      { root: "Event", path: ["Payload", "n"], isTested: true },
    ]);
  });

  test("finds nothing in text, in comments and in fields of other values", () => {
    const source = "{{/* {{.Node.a}} */}} .Node.b {{with .Event}}{{.Node.c}}{{.Item}}{{end}}";
    expect(find(source)).toEqual({
      nodes: [],
      secrets: [],
      env: [],
      event: [],
      usesItem: false,
      reads: [],
    });
  });

  test("finds the first two names behind the event, once each", () => {
    const source =
      "{{.Event.At}}{{with .Event.Payload}}{{$.Event.Payload.body.title}}{{end}}{{.Event.Payload.body}}";
    expect(find(source).event).toEqual([["At"], ["Payload"], ["Payload", "body"]]);
  });

  test("finds the index of the item", () => {
    expect(find("{{.Index}}").usesItem).toBe(true);
  });

  test.each([
    ["{{if .Node.a}}x{{end}}"],
    ["{{if .Node.a}}{{.Node.a.x}}{{end}}"],
    ["{{if .Node.a.x}}{{.Node.a.y}}{{end}}"],
    ["{{with .Node.a}}{{.x}}{{$.Node.a.y}}{{end}}"],
    ["{{with $x := .Node.a}}{{$x}}{{$.Node.a.y}}{{end}}"],
    ['{{default "x" .Node.a.x}}'],
    ['{{.Node.a.x | default "x"}}'],
    ['{{(.Node.a.x | default "x") | upper}}'],
    ['{{or .Node.a.x "none"}}'],
    ["{{if not .Node.a}}none{{else}}{{.Node.a}}{{end}}"],
    ["{{if .Node.a | not}}none{{end}}"],
    ["{{if and .Event.x .Node.a}}{{.Node.a.x}}{{end}}"],
    ["{{if and .Node.a (eq .Node.a.x 1)}}{{.Node.a.x}}{{end}}"],
    ["{{if or (not .Node.a) (eq .Node.a.x 1)}}x{{else}}{{.Node.a.x}}{{end}}"],
    ["{{if false}}x{{else if .Node.a}}{{.Node.a.x}}{{end}}"],
    ["{{if not .Node.a}}x{{else if true}}{{.Node.a.x}}{{end}}"],
    ["{{range .Node.a.items}}x{{else}}none{{end}}"],
    ["{{if (.Node.a)}}{{range .Event.list}}{{$.Node.a}}{{end}}{{end}}"],
  ])("takes the absence of a node as tested in %s", (source) => {
    expect(findNodes(source)).toEqual(["a"]);
  });

  test.each([
    ["{{.Node.a}}"],
    ["{{if .Node.a}}x{{end}}{{.Node.a}}"],
    ["{{if .Node.a}}x{{else}}{{.Node.a}}{{end}}"],
    ["{{if not .Node.a}}{{.Node.a}}{{end}}"],
    ["{{if .Event.x}}{{.Node.a}}{{end}}"],
    ["{{if or .Event.x .Node.a}}{{.Node.a}}{{end}}"],
    ["{{if eq .Node.a.status 200}}x{{end}}"],
    ["{{if (.Node.a | len)}}x{{end}}"],
    ["{{range .Node.a.items}}x{{end}}"],
    ["{{default .Node.a.x .Event.y}}"],
    ["{{or .Event.x .Node.a.x}}"],
    ["{{and .Event.x .Node.a.x}}"],
    ["{{$x := .Node.a}}{{if $x}}{{$x}}{{end}}"],
    ['{{default "x" (upper .Node.a.x)}}'],
    ["{{if and (not .Node.a) .Event.x}}x{{else}}{{.Node.a}}{{end}}"],
    ["{{not .Node.a}}"],
  ])("does not take the absence of a node as tested in %s", (source) => {
    expect(findNodes(source)).toEqual(["a!"]);
  });

  test("looks at each node for itself", () => {
    expect(findNodes("{{if .Node.a}}{{.Node.b}}{{.Node.a}}{{end}}")).toEqual(["a", "b!"]);
  });
});
