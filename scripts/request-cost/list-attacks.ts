import type { Members } from "./cases/members.ts";
import type { Kind } from "./door.ts";
import { texts, values } from "./shapes.ts";

type Hostile = [name: string, kind: Kind, make: (bytes: number) => unknown];

/** Replaces each member in turn by each shape, and the whole object by each shape. */
export function* listHostile(members: Members): Generator<Hostile> {
  for (const [shape, { kind, make }] of Object.entries(values)) {
    yield [`whole: ${shape}`, kind, make];
  }
  for (const [member, value] of Object.entries(members)) {
    const isText = typeof value === "string";
    for (const [shape, { kind, make }] of Object.entries(isText ? texts : values)) {
      yield [`${member}: ${shape}`, kind, (bytes) => ({ ...members, [member]: make(bytes) })];
    }
    // An array or an object may contain long texts.
    if (typeof value !== "object") continue;
    const wrap = (text: unknown) => (Array.isArray(value) ? [text] : { base_url: text });
    for (const shape of ["mixed escapes", "forged value tokens", "Fibonacci word"]) {
      const { kind = "length", make = () => "" } = texts[shape] ?? {};
      yield [
        `${member}, within: ${shape}`,
        kind,
        (bytes) => ({ ...members, [member]: wrap(make(bytes)) }),
      ];
    }
  }
}

/** Replaces `ID` by an existing id. */
export function fill(members: Members, id: string): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, value === "ID" ? id : value]),
  );
}

/** The members as fields of a form or query. Empty ones are left out. */
export function toFields(members: Members): Record<string, string> {
  const given = Object.entries(members).filter(([, value]) => value !== "");
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
