import type { FreshNeed } from "../../identity/fresh-sign-in.ts";
import type { ApiRoute } from "./api-routes.ts";

/** Below these, every change is one of who has access. */
const accessPrefixes = [
  "/admin/api/groups",
  "/admin/api/prepared-users",
  "/admin/api/scim",
  "/admin/api/service-users",
  "/admin/api/bound-tokens",
  "/admin/api/machine-clients",
  "/admin/api/trusted-issuers",
  "/admin/api/secret-sources",
  "/admin/api/secret-references",
  "/profile/api/tokens",
  "/profile/api/service-users",
  "/profile/api/bound-tokens",
];

const accessPaths = new Set([
  "/admin/api/users",
  "/admin/api/users/{user}/enable",
  "/admin/api/users/{user}/one-time-password",
  "/admin/api/users/{user}/scim-client",
  // What the chat account answers from then on counts as its user's word.
  "/profile/api/chat-accounts/links/{link}/confirm",
  // Gives a row what only the secret manager had.
  "/manager/api/rows/{row}/secrets/{field}/reference",
]);

/** Without its rule, a call needs no decision. */
const decisionPaths = new Set([
  "/manager/api/rows/{row}/rules",
  "/manager/api/rows/{row}/rules/{rule}",
]);

/** What ends access at once, in an emergency, must not wait for a password; a refresh reads again what was allowed. */
const endings = /\/(revoke|disable|end|refresh)$/;

/**
 * The fresh sign-in that a route asks for before its endpoint is reached; null if it asks for none. A change of a user's role
 * or tags asks in its endpoint, and decisions in their services, which chats and pages use too.
 */
export function findFreshNeed({
  method,
  path,
}: Pick<ApiRoute, "method" | "path">): FreshNeed | null {
  if (method === "GET" || endings.test(path)) return null;
  if (decisionPaths.has(path)) return "decisions";
  const isAccess =
    accessPaths.has(path) || accessPrefixes.some((prefix) => path.startsWith(prefix));
  return isAccess ? "access" : null;
}
