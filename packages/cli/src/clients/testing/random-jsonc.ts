import fc from "fast-check";

/** White space and comments between the tokens of a document. */
const gaps = [
  "",
  " ",
  "\n",
  "\r\n\t",
  "\t",
  "\n    ",
  " /* note, } */ ",
  " // note {\n",
  "\n// :\r\n",
];

const key = fc.oneof(
  fc.constantFrom("a", "b", "theme", "mcpServers", "hub", "other", 'with "quotes"', "ünï"),
  fc.string({ maxLength: 5 }),
);

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, -1.5e3, "", "// no comment", "/*", "}\\\n"),
    fc.array(tie("any"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(key, tie("any"), { maxKeys: 4 }),
}));

/** A JSON document with any layout, and with comments and trailing commas. Its root is an object. */
export const randomJsonc: fc.Arbitrary<string> = fc
  .tuple(
    fc.record(
      {
        mcpServers: fc.dictionary(key, value.object, { maxKeys: 3 }),
        theme: value.any,
        last: value.any,
      },
      { requiredKeys: [] },
    ),
    fc.array(fc.nat(gaps.length * 2), { minLength: 20, maxLength: 60 }),
    fc.boolean(),
    fc.constantFrom("", "\uFEFF"),
  )
  .map(([root, choices, hasTrailingCommas, mark]) => {
    let at = 0;
    // Half of the gaps are empty.
    const gap = () => gaps[choices[at++ % choices.length] ?? 0] ?? "";
    const print = (item: unknown): string => {
      if (typeof item !== "object" || item === null) return JSON.stringify(item);
      const isArray = Array.isArray(item);
      const members = isArray
        ? item.map((one) => `${gap()}${print(one)}${gap()}`)
        : Object.entries(item).map(
            ([name, one]) =>
              `${gap()}${JSON.stringify(name)}${gap()}:${gap()}${print(one)}${gap()}`,
          );
      const end = hasTrailingCommas && members.length > 0 ? `,${gap()}` : "";
      const inner = members.length === 0 ? gap() : members.join(",");
      return isArray ? `[${inner}${end}]` : `{${inner}${end}}`;
    };
    return `${mark}${gap()}${print(root)}${gap()}`;
  });
