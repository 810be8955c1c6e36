/**
 * Writes the contact of SECURITY.md from maintainers.json: `npx bun scripts/write-contacts.ts`. A test checks that it
 * is up to date. What the owner has not filled in is said so.
 */
import { join, resolve } from "node:path";
import { z } from "zod";

const root = resolve(import.meta.dirname, "..");
const marks =
  /(<!-- contact: written by scripts\/write-contacts\.ts from maintainers\.json -->\n)[\s\S]*?(<!-- \/contact -->)/;

const maintainersSchema = z.object({
  /** The address of the repository; empty until the owner fills it in, as the others. */
  repository: z.string(),
  /** An e-mail address, or the address of a form. */
  security_contact: z.string(),
  conduct_contact: z.string(),
  /** Their names. */
  maintainers: z.array(z.string()),
});
export type Maintainers = z.infer<typeof maintainersSchema>;

export async function readMaintainers(): Promise<Maintainers> {
  return maintainersSchema.parse(await Bun.file(join(root, "maintainers.json")).json());
}

/** SECURITY.md with the contact between its marks. */
export function writeContact(text: string, given: Maintainers): string {
  if (!marks.test(text)) throw new Error("SECURITY.md has no marks for the contact.");
  return text.replace(
    marks,
    (_, start: string, end: string) => `${start}${toContact(given)}${end}`,
  );
}

function toContact({ security_contact: contact, maintainers }: Maintainers): string {
  const names = maintainers.length === 0 ? "" : ` Maintainers: ${maintainers.join(", ")}.`;
  if (contact !== "") return `Write to ${contact}.${names}\n`;
  return `**No contact is set yet.** The owner fills it into [maintainers.json](maintainers.json), as \`security_contact\`. Until then, report to
the person from whom you have this copy.${names}\n`;
}

if (import.meta.main) {
  const file = join(root, "SECURITY.md");
  await Bun.write(file, writeContact(await Bun.file(file).text(), await readMaintainers()));
}
