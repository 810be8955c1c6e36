/** Reads `maintainers.json`, the one place with the address of the repository, the contacts and the names. */
import { join, resolve } from "node:path";
import { z } from "zod";

const address = z.union([z.literal(""), z.url({ protocol: /^https$/ })]);

const maintainersSchema = z.object({
  "//": z.string(),
  /** The address of the repository on the web, without a slash at its end. */
  repository: address.refine((url) => !url.endsWith("/"), "without a slash at its end"),
  /** An address for reports of weaknesses: of mail, or of a page. */
  security_contact: z.string(),
  /** An address for reports about conduct. */
  conduct_contact: z.string(),
  /** Names, as they are to be shown. */
  maintainers: z.array(z.string().min(1)),
});

export type Maintainers = z.infer<typeof maintainersSchema>;

export async function readMaintainers(
  root = resolve(import.meta.dirname, ".."),
): Promise<Maintainers> {
  return maintainersSchema.parse(await Bun.file(join(root, "maintainers.json")).json());
}
