import type { QueryClient } from "@tanstack/react-query";
import type { ReadRoute } from "./call-api.ts";

/**
 * Reads the answers of routes again, because something has changed. A first reading under way is begun
 * anew: it may be of before the change, and the library would wait for it and take it as new.
 */
export async function readAgain(queries: QueryClient, routes: readonly ReadRoute[]): Promise<void> {
  await Promise.all(
    routes.map(async (one) => {
      await queries.cancelQueries({ queryKey: [one] });
      await queries.invalidateQueries({ queryKey: [one] });
    }),
  );
}
