import type { Reader, Type } from "protobufjs";

/** A message of the hub's own library has at most some thousand. */
export const fieldsMax = 50_000;

/**
 * Throws if a message and those inside it have more fields. Attack: 64 MiB may be 20 million empty fields, and each becomes an
 * object, an item of a list or a text.
 */
export function checkFields(reader: Reader, type: Type): void {
  let count = 0;

  function read(end: number, message: Type): void {
    while (reader.pos < end) {
      count += 1;
      if (count > fieldsMax) throw new Error(`The message has more than ${fieldsMax} fields.`);
      const tag = reader.uint32();
      const { resolvedType } = message.fieldsById[tag >>> 3] ?? { resolvedType: null };
      const isMessage = (tag & 7) === 2 && resolvedType !== null && "fieldsById" in resolvedType;
      if (isMessage) read(reader.uint32() + reader.pos, resolvedType);
      else reader.skipType(tag & 7);
    }
  }

  read(reader.len, type);
}
