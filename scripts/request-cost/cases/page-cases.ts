import { appPages } from "../../../packages/contract/src/app-pages.ts";
import { fontPath } from "../../../packages/server/src/http/pages/font.ts";
import { stylePath } from "../../../packages/server/src/http/pages/style.ts";

/** The pages of the app, which one function answers. Each gets a few attacks, and `/` gets all. */
export const appPageCases: readonly string[] = appPages.map((path) => path.replaceAll("$", ":"));

/** Every address of the server that is read by GET, without those of the management API. */
export const pageCases: readonly string[] = [
  ...appPageCases,
  "/health",
  "/ready",
  "/metrics",
  "/openapi.json",
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-protected-resource/mcp/",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-authorization-server/",
  stylePath,
  fontPath,
  "/assets/app/:name",
  "/auth/login",
  "/auth/password",
  "/auth/pending",
  "/auth/sso",
  "/auth/second-factor",
  "/auth/second-factor/set-up",
  "/auth/fresh",
  "/auth/sso/callback",
  "/auth/connect/client.json",
  "/auth/connect/callback",
  "/auth/connect/callback/:row",
  "/profile",
  "/profile/tokens",
  "/profile/mcp",
  "/profile/second-factor",
  "/profile/second-factor/add",
  "/tools/encfields",
  "/tools/encfields/decrypt",
  "/help",
  "/help/",
  "/help/:topic{.+}",
  "/llms.txt",
  "/oauth/authorize",
  "/oauth/authorize/:uid",
  "/oauth/consent/:uid",
];

/** Addresses of every method, each of which has doors of its own. */
export const otherDoors: readonly string[] = [
  "/mcp",
  "/webhook/*",
  "/webhook-test/*",
  "/channels/*",
  "/scim/v2/*",
  "/manager/api/*",
  "/admin/api/*",
  "/profile/api/*",
];
