import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { amount } from "../../lib/testing/amount.ts";
import { anyText } from "../../lib/testing/any-text.ts";
import { findReferences } from "./find-references.ts";
import { functionNames } from "./function-names.ts";
import { parseTemplate } from "./parse/parser.ts";
import { renderDeep } from "./render/render-deep.ts";
import { renderTemplate, renderText } from "./render/render-template.ts";
import { TemplateError } from "./template-error.ts";
import { outputBytesMax } from "./template-limits.ts";
import { createRoots, openForOwner, testSecrets } from "./testing/create-roots.ts";

/** Parts of templates, so that random sources are often templates. */
const parts = fc.oneof(
  fc.constantFrom(
    ..."{{|}}|{{-| -}}|{{end}}|{{else}}|{{if .Event.a}}|{{else if 1}}|{{with .Event}}".split("|"),
    ..."{{range .Event}}|{{range $i, $x := .Event}}|{{$x := .Event}}|{{$x}}|{{.}}|{{.a}}".split(
      "|",
    ),
    ..."{{break}}|{{continue}}|{{/* c */}}|.Event|.Node.a|.Secret.KEY|.a|$x|$|.|(|)|,|:=|=".split(
      "|",
    ),
    ..."\"text\"|`raw`|'c'|1|-1|1.5|0x1f|true|nil|\\|\n| | | |é|😀|hub_enc_".split("|"),
    "{{(",
    ")}}",
    "|",
    ...functionNames.map((name) => `{{${name} .Event}}`),
    ...functionNames.map((name) => `{{.Event | ${name} "%5v" .Event.a}}`),
    ...functionNames,
  ),
  anyText({ maxLength: 4 }),
);

const sources = fc.array(parts, { maxLength: 12 }).map((list) => list.join(""));

const data = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.jsonValue()),
  anyText(),
  fc.constant(JSON.rawJSON("123456789012345678901234567890")),
  fc.constant(JSON.rawJSON("1e400")),
);

/** Whether a part throws nothing but TemplateError. */
function isContained(part: () => void): boolean {
  try {
    part();
    return true;
  } catch (thrown) {
    return thrown instanceof TemplateError;
  }
}

describe("templates of every kind", () => {
  test("throw nothing but TemplateError, and their output is bounded", () => {
    fc.assert(
      fc.property(sources, data, (source, Event) => {
        const roots = createRoots({ Event, Node: { a: Event } });
        return isContained(() => {
          const template = parseTemplate(source);
          findReferences(template);
          const { text } = renderText(template, roots, { now: 0 });
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(outputBytesMax);
          renderTemplate(template, roots, { now: 0 });
        });
      }),
      { numRuns: amount(300, 1000) },
    );
  });

  test("have functions that throw nothing but TemplateError for every argument", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...functionNames),
        fc.array(fc.oneof(data, fc.constantFrom("%d", "%-5.2f", "%[2]*[1]v", "1h", "2006")), {
          maxLength: 4,
        }),
        (name, args) => {
          const Event = Object.fromEntries(args.map((arg, at) => [`a${at}`, arg]));
          const source = `{{${name} ${args.map((_, at) => `.Event.a${at}`).join(" ")}}}`;
          const render = () =>
            renderTemplate(parseTemplate(source), createRoots({ Event }), { now: 0 });
          return isContained(render);
        },
      ),
      { numRuns: amount(300, 1000) },
    );
  });

  test("never show the plaintext of a secret", () => {
    fc.assert(
      fc.property(sources, (source) => {
        const hostile = `${source}{{.Secret.KEY}}`;
        try {
          const { value, warnings } = renderDeep([hostile], createRoots(), { now: 0 });
          const written = JSON.stringify({ value, warnings });
          return !written.includes(testSecrets.KEY ?? "");
        } catch (thrown) {
          return thrown instanceof TemplateError && !thrown.message.includes("hunter2");
        }
      }),
    );
  });

  test("print text of data as it is, whatever it contains", () => {
    fc.assert(
      fc.property(fc.oneof(sources, anyText()), (text) => {
        const Event = { text };
        const { value } = renderDeep(
          ["{{.Event.text}}", "[{{.Event.text}}]"],
          createRoots({ Event }),
          {
            now: 0,
          },
        );
        expect(value).toEqual([text, `[${text}]`]);
      }),
    );
  });

  test("read JSON back that they wrote", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (Event) => {
        const source = "{{toJSON .Event | fromJSON}}";
        const { value } = renderTemplate(parseTemplate(source), createRoots({ Event }), { now: 0 });
        expect(JSON.stringify(value)).toBe(JSON.stringify(Event));
      }),
    );
  });

  test("give basicAuth tokens that open to their user and secret", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 20 }), (user) => {
        fc.pre(!user.includes(":") && !/\p{Cc}/u.test(user));
        const source = "{{basicAuth .Event .Secret.KEY}}";
        const roots = createRoots({ Event: user });
        const { value } = renderTemplate(parseTemplate(source), roots, { now: 0 });
        const opened = openForOwner(String(value).slice("Basic ".length)) ?? "";
        expect(Buffer.from(opened, "base64").toString()).toBe(`${user}:${testSecrets.KEY}`);
      }),
    );
  });
});
