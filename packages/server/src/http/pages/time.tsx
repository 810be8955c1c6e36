/** @jsxImportSource hono/jsx */

/** A time for display, in UTC; `never` for null. */
export function Time({ at, never = "never" }: { at: string | null; never?: string }) {
  if (at === null) return <>{never}</>;
  return <time datetime={at}>{`${at.slice(0, 16).replace("T", " ")} UTC`}</time>;
}
