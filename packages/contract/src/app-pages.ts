/**
 * The addresses that the pages of `packages/web` have. `$name` is a parameter. The server answers each
 * of them with the app, and the app has a route for each.
 */
export const appPages = ["/", "/manager/runs", "/manager/runs/$run"] as const;
export type AppPage = (typeof appPages)[number];
