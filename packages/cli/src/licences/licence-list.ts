import { z } from "zod";

const partSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** An SPDX expression, such as `MIT` or `(MIT OR CC0-1.0)`. */
  licence: z.string(),
  /** Places in `texts`. */
  texts: z.array(z.int().min(0)),
});

export const licenceListSchema = z.object({
  packages: z.array(partSchema),
  /** Each text once, however many packages have it. */
  texts: z.array(z.string()),
});

/** The licences of everything in a program, in the order of names. */
export type LicenceList = z.infer<typeof licenceListSchema>;

/** A package or library with the whole texts of its licence and notices. */
export type LicensedPart = { name: string; version: string; licence: string; texts: string[] };

/** The same parts give the same list, in any order. */
export function toLicenceList(parts: readonly LicensedPart[]): LicenceList {
  const indexes = new Map<string, number>();
  const named = new Map(parts.map((part) => [`${part.name} ${part.version}`, part]));
  const packages = [...named]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { name, version, licence, texts }]) => ({
      name,
      version,
      licence,
      texts: texts.map((text) => findTextIndex(indexes, toPlainText(text))),
    }));
  return { packages, texts: [...indexes.keys()] };
}

/** The parts of a list, for another list. */
export function toParts({ packages, texts }: LicenceList): LicensedPart[] {
  return packages.map((part) => ({
    ...part,
    texts: part.texts.map((index) => texts[index] ?? ""),
  }));
}

function findTextIndex(indexes: Map<string, number>, text: string): number {
  const index = indexes.get(text) ?? indexes.size;
  indexes.set(text, index);
  return index;
}

/** Texts that differ in white space at the ends of lines are the same. */
function toPlainText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}

/** The list as a document: the packages, then the texts, each with its packages. */
export function toLicenceText({ packages, texts }: LicenceList): string {
  const lines = packages.map(
    ({ name, version, licence, texts: own }) =>
      `${name} ${version}: ${licence} (${own.map((index) => `text ${index + 1}`).join(", ")})`,
  );
  const parts = texts.map((text, index) => {
    const owners = packages.filter((part) => part.texts.some((each) => each === index));
    const names = owners.map(({ name, version }) => `${name} ${version}`).join(", ");
    return `${"-".repeat(72)}\nText ${index + 1}, of ${names}\n\n${text}`;
  });
  return [`This program contains:\n\n${lines.join("\n")}`, ...parts].join("\n\n");
}
