import { expect, test } from "bun:test";
import { listNeededSecrets } from "./list-needed-secrets.ts";

const set = (value: unknown) => ({ type: "set", value });

test("Secrets are found at any depth, in templates only, and for signatures", () => {
  const body = {
    triggers: [{ secret_ref: "SIGN" }, { secret_ref: "not a name" }, { secret_ref: 5 }, null],
    nodes: [
      set([{ deep: ["{{ .Secret.A }}-{{basicAuth `x` .Secret.B}}"] }]),
      set("{{if .Event.Payload.x}}{{with .Secret.C}}{{.}}{{end}}{{end}}"),
    ],
  };
  expect(listNeededSecrets(body)).toEqual(["A", "B", "C", "SIGN"]);
});

test("A name in a comment, in a literal, beside a template or in a field that is no template is no secret", () => {
  const body = {
    nodes: [
      set("{{/* .Secret.A */}}{{.Event.At}} .Secret.B {{`.Secret.C`}} .Secret.1"),
      { ...set(1), label: "{{.Secret.D}}", note: "{{.Secret.E}}" },
      { type: "unknown", value: "{{.Secret.F}}" },
    ],
    layout: { a: ["{{.Secret.G}}"] },
  };
  expect(listNeededSecrets(body)).toEqual([]);
});

test("A secret of a template that is not finished is found", () => {
  expect(listNeededSecrets({ nodes: [set("{{if .Secret.A}}{{.Secret.B")] })).toEqual(["A", "B"]);
});

test("Of a body that is built to be slow, no more is listed than a workflow can have", () => {
  const value = Array.from({ length: 2_000 }, (_, index) => `{{.Secret.S${index}}}`);
  expect(listNeededSecrets({ nodes: [set(value)] })).toHaveLength(1_000);
  const one = "{{.Secret.A}}".repeat(80_000);
  expect(listNeededSecrets({ nodes: [set(one)] })).toEqual(["A"]);
});
