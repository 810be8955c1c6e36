/** The page with the index of the documentation. */
export const helpPath = "/help";

/** `guide/backup` → `/help/guide/backup` */
export function toHelpPath(topic: string): string {
  return topic === "README" ? helpPath : `${helpPath}/${topic}`;
}
