import fc from "fast-check";

const name = fc.constantFrom(
  "a",
  "b",
  "model",
  "tui",
  "hub",
  "other",
  "mcp_servers",
  '"q . # ["',
  "'l'",
);

const scalar = fc.constantFrom(
  '"text"',
  "'[mcp_servers.hub]'",
  '"""\n[mcp_servers.hub]\nx = 1 # no\n"""',
  "'''\n[[mcp_servers]]\n'''",
  "1_000",
  "0xff",
  "-1.5e3",
  "true",
  "1979-05-27T07:32:00Z",
  "1979-05-27",
  "[1, 2,\n  # in a list ]\n  3]",
  '{ x = 1, y = { z = "}" } }',
  "[]",
);

const comment = fc.constantFrom("", "", " # note", "\t# [mcp_servers.hub]");

const pair = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 2 }), scalar, comment)
  .map(([keys, value, end]) => `${keys.join(".")} = ${value}${end}`);

const table = fc
  .tuple(
    fc.constantFrom(
      "tui",
      "mcp_servers",
      "mcp_servers.a",
      'mcp_servers . "b"',
      "mcp_servers.a.env",
      "x.y",
    ),
    comment,
    fc.array(pair, { maxLength: 3 }),
  )
  .map(([header, end, pairs]) => [`[${header}]${end}`, ...pairs].join("\n"));

/**
 * TOML with comments, texts of several lines, dotted and quoted keys, and any layout. Not all of it
 * is valid, because names may be there twice.
 */
export const randomToml: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.oneof(pair, fc.constantFrom("# alone", "", "   ")), { maxLength: 4 }),
    fc.array(table, { maxLength: 4 }),
    fc.constantFrom("\n", "\n\n", "\n\n\n"),
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\uFEFF"),
  )
  .map(([pairs, tables, gap, eol, mark]) => {
    const text = [...pairs.map((one) => `${one}\n`), ...tables.map((one) => `${gap}${one}\n`)];
    return `${mark}${text.join("").replaceAll("\n", eol)}`;
  });
