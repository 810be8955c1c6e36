import { describe, expect, test } from "bun:test";
import { functionNames } from "./function-names.ts";
import { parseTemplate } from "./parse/parser.ts";
import { renderDeep } from "./render/render-deep.ts";
import { renderTemplate } from "./render/render-template.ts";
import { TemplateError } from "./template-error.ts";
import { createRoots, openForOwner, sealForOwner, testSecrets } from "./testing/create-roots.ts";

const token = sealForOwner(testSecrets.KEY ?? "");

const roots = createRoots({
  Event: { list: ["a"], text: "a", n: 1 },
  // A node that passed the secret on: its output is data with a value token in it.
  Node: { set: { auth: token, header: `Bearer ${token}`, list: [token] } },
});

function render(source: string): unknown {
  return renderTemplate(parseTemplate(source), roots, { now: 0 }).value;
}

function findCode(source: string): string | null {
  try {
    render(source);
    return null;
  } catch (thrown) {
    if (thrown instanceof TemplateError) return thrown.code;
    throw thrown;
  }
}

describe("a secret of the workflow", () => {
  test.each([
    ["{{.Secret.KEY}}", token],
    ["Bearer {{.Secret.KEY}}.", `Bearer ${token}.`],
    ['{{index .Secret "KEY"}}', token],
    ["{{$x := .Secret.KEY}}{{$x}}", token],
    ["{{with .Secret.KEY}}{{.}}{{end}}", token],
    ["{{range .Event.list}}{{$.Secret.KEY}}{{end}}", token],
    ["{{(.Secret.KEY)}}", token],
    ["{{if .Secret.KEY}}set{{end}}{{if not .Secret.NONE}} and not set{{end}}", "set and not set"],
  ])("leaves %s as the owner's value token", (source, output) => {
    expect(render(source)).toBe(output);
  });

  test("is passed on unchanged by default, and, or", () => {
    expect(render('{{default "x" .Secret.KEY}}')).toBe(token);
    expect(render('{{default "x" .Secret.NONE}}')).toBe("x");
    expect(render("{{or .Secret.NONE .Secret.KEY}}")).toBe(token);
    expect(render("{{and .Event.n .Secret.KEY}}")).toBe(token);
  });

  const passing = ["default", "and", "or", "not", "basicAuth"];

  const refusing = functionNames.filter((name) => !passing.includes(name) && name !== "now");

  test("can be given to no other function but now, which takes nothing", () => {
    expect(refusing).toHaveLength(functionNames.length - passing.length - 1);
  });

  test.each(refusing)("cannot be given to %s, in any place of its arguments", (name) => {
    const codes = ["A", "A A", '"x" A', 'A "x"', '"x" "x" A', 'A "x" "x"'].flatMap((args) =>
      [args.replaceAll("A", ".Secret.KEY"), args.replaceAll("A", "$x")].map((given) =>
        findCode(`{{$x := .Secret.KEY}}{{${name} ${given}}}`),
      ),
    );
    // With a number of arguments that the function does not take, that is the error.
    expect(codes).toContain("secret_transformed");
    expect(codes).not.toContain(null);
  });

  test.each([
    ["{{.Secret.KEY | upper}}"],
    ["{{eq .Secret.KEY .Secret.KEY}}"],
    ["{{if eq .Secret.KEY `hunter2-plain`}}x{{end}}"],
    ["{{range .Secret.KEY}}x{{end}}"],
    ["{{with .Secret.KEY}}{{.x}}{{end}}"],
    ["{{(.Secret.KEY).x}}"],
    ['{{basicAuth "user" .Secret.KEY | base64}}'],
    ['{{print (basicAuth "user" .Secret.KEY)}}'],
    ["{{basicAuth .Secret.KEY .Secret.KEY}}"],
    ['{{default "x" .Secret.KEY | len}}'],
  ])("cannot be changed or read by %s", (source) => {
    expect(findCode(source)).toBe("secret_transformed");
  });

  test("never shows its plaintext in errors", () => {
    for (const name of functionNames) {
      try {
        render(`{{${name} .Secret.KEY}}`);
      } catch (thrown) {
        expect(String(thrown)).not.toContain(testSecrets.KEY ?? "");
        expect(String(thrown)).not.toContain(token);
      }
    }
  });

  test("that is not set is an error where it is printed", () => {
    expect(findCode("{{.Secret.NONE}}")).toBe("secret_missing");
    expect(findCode("x {{.Secret.NONE}}")).toBe("secret_missing");
    expect(findCode('{{basicAuth "user" .Secret.NONE}}')).toBe("secret_missing");
  });

  test.each([
    ["{{.Secret}}"],
    ["{{toJSON .Secret}}"],
    ["{{range .Secret}}{{.}}{{end}}"],
  ])("is read by its name only: %s is refused", (source) => {
    expect(findCode(source)).toBe("template_invalid");
  });

  test("has a name that data cannot choose", () => {
    expect(findCode("{{index .Secret .Event.text}}")).toBe("template_invalid");
    expect(findCode('{{"KEY" | index .Secret}}')).toBe("template_invalid");
  });

  test("has no own object in a value", () => {
    const { value } = renderDeep({ a: ["{{.Secret.KEY}}", { b: "x {{.Secret.KEY}}" }] }, roots, {
      now: 0,
    });
    expect(value).toEqual({ a: [token, { b: `x ${token}` }] });
  });
});

describe("a value token in data", () => {
  test.each([
    ["{{.Node.set.header}}", `Bearer ${token}`],
    ["a {{.Node.set.auth}}", `a ${token}`],
    ["{{toJSON .Node.set.list}}", `["${token}"]`],
    ["{{(toJSON .Node.set | fromJSON).auth}}", token],
    ["{{jsonEscape .Node.set.auth}}", token],
    ["{{print `a` .Node.set.auth}}", `a${token}`],
    ["{{printf `%s` .Node.set.auth}}", token],
    ["{{join `,` .Node.set.list}}", token],
    ["{{trim .Node.set.header}}", `Bearer ${token}`],
    ["{{truncate 1000 .Node.set.header}}", `Bearer ${token}`],
    ["{{default `x` .Node.set.auth}}", token],
    ["{{first .Node.set.list}}", token],
    ["{{range .Node.set.list}}{{.}}{{end}}", token],
    ["{{len .Node.set.list}}", 1],
  ])("passes %s unchanged", (source, output) => {
    expect(render(source)).toBe(output);
  });

  test.each([
    ["{{upper .Node.set.header}}"],
    ["{{lower .Node.set.auth}}"],
    ["{{truncate 20 .Node.set.header}}"],
    ["{{replace `a` `b` .Node.set.header}}"],
    ["{{split `_` .Node.set.auth}}"],
    ["{{base64 .Node.set.auth}}"],
    ["{{len .Node.set.auth}}"],
    ["{{index .Node.set.auth 0}}"],
    ["{{slice .Node.set.auth 0 8}}"],
    ["{{printf `%.8s` .Node.set.auth}}"],
    ["{{printf `%q` .Node.set.auth}}"],
    ["{{printf `%x` .Node.set.auth}}"],
    ["{{html .Node.set.auth}}"],
    ["{{js .Node.set}}"],
    ["{{urlquery .Node.set.header}}"],
    ["{{eq .Node.set.auth `x`}}"],
    ["{{lt .Node.set.auth `x`}}"],
    ["{{basicAuth .Node.set.auth .Secret.KEY}}"],
  ])("is not changed by %s, which is an error", (source) => {
    expect(findCode(source)).toBe("secret_transformed");
  });
});

describe("basicAuth", () => {
  test("gives the header with one token, which opens to the credentials of RFC 7617", () => {
    const value = String(render('{{basicAuth "Aladdin" .Secret.KEY}}'));
    expect(value.startsWith("Basic hub_enc_")).toBe(true);
    const opened = openForOwner(value.slice("Basic ".length));
    expect(opened).toBe(Buffer.from("Aladdin:hunter2-plain").toString("base64"));
  });

  test("takes the user from data, as UTF-8", () => {
    const value = String(render("{{basicAuth (print .Event.text `é`) .Secret.OTHER}}"));
    const opened = openForOwner(value.slice("Basic ".length)) ?? "";
    expect(Buffer.from(opened, "base64").toString()).toBe('aé:other "plain"');
  });

  test.each([
    ['{{basicAuth "a:b" .Secret.KEY}}'],
    ['{{basicAuth "a\\nb" .Secret.KEY}}'],
    ['{{basicAuth "a" "password"}}'],
    ["{{basicAuth nil .Secret.KEY}}"],
  ])("refuses %s", (source) => {
    expect(findCode(source)).toBe("template_failed");
  });
});
