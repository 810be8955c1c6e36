import fc from "fast-check";

const surrogatesFrom = 0xd800;
const surrogatesCount = 0x800;

/**
 * Any character but half of a surrogate pair. It is what `unit: "binary"` of fast-check is, which takes a second of
 * processor time in each process for a table of a million characters.
 */
const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - surrogatesCount })
  .map((at) => String.fromCodePoint(at < surrogatesFrom ? at : at + surrogatesCount));

/** Names that every object has. */
const namesOfObjects = [
  ...["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf"],
  ...["isPrototypeOf", "toLocaleString", "propertyIsEnumerable", "__defineGetter__", "then"],
];

/** Texts of any characters; one in twenty is a name that every object has, if it is not too long. */
export function anyText(
  constraints: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<string> {
  const { maxLength = Infinity } = constraints;
  const random = fc.string({ unit: anyCharacter, ...constraints });
  const names = namesOfObjects.filter(({ length }) => length <= maxLength);
  if (names.length === 0) return random;
  return fc.oneof(
    { weight: 19, arbitrary: random },
    { weight: 1, arbitrary: fc.constantFrom(...names) },
  );
}
