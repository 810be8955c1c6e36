/** Characters that cannot be mistaken for each other. There are 32, so a byte picks each equally often. */
const letters = "abcdefghijkmnpqrstuvwxyz23456789";
const randomChars = 6;
const slugCharsMax = 57;

/** A new id: the name in lower-case letters, digits and hyphens, and six random characters. */
export function toWorkflowId(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugCharsMax)
    .replace(/^-+|-+$/g, "");
  const bytes = crypto.getRandomValues(new Uint8Array(randomChars));
  const random = [...bytes].map((byte) => letters[byte % letters.length]).join("");
  return `${slug === "" ? "workflow" : slug}-${random}`;
}
