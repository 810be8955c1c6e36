/** @jsxImportSource hono/jsx */

/** A moment as people read it, in UTC; `never` for none. */
export function Time({ at, never = "never" }: { at: string | null; never?: string }) {
  if (at === null) return <>{never}</>;
  return <time datetime={at}>{`${at.slice(0, 16).replace("T", " ")} UTC`}</time>;
}
