import { z } from "zod";
import { isLoopbackHost } from "../lib/network/bind-host.ts";
import { readList, type Settings, yesOrNo } from "./setting.ts";

/** Single sign-on with an OpenID provider. */
export const signInSettings = {
  oidcIssuer: {
    schema: z.string().refine(isIssuer).nullable().default(null),
    description: "OpenID provider for single sign-on",
    expects: "the issuer's https address, such as https://id.example.com/realms/staff",
    fallback: "none",
  },
  oidcClientId: {
    schema: z.string().nullable().default(null),
    description: "client id of the hub at the OpenID provider",
    expects: "text",
    fallback: "none",
  },
  oidcClientSecret: {
    schema: z.string().nullable().default(null),
    description: "client secret of the hub at the OpenID provider",
    expects: "text",
    fallback: "none, for a public client",
    secret: true,
  },
  oidcName: {
    schema: z.string().max(60).default("single sign-on"),
    description: "name of the OpenID provider on the sign-in page",
    expects: "at most 60 characters",
    fallback: "single sign-on",
  },
  oidcAllowedDomains: {
    schema: z
      .string()
      .transform((text) => readList(text.toLowerCase()))
      .refine((domains) => domains.every((domain) => /^[^\s@]+$/.test(domain)))
      .default([]),
    description: "e-mail domains that may sign in with the OpenID provider, comma-separated",
    expects: "a comma-separated list of domains, such as example.com",
    fallback: "all",
  },
  oidcNewUsers: {
    schema: z.enum(["pending", "active"]).default("pending"),
    description: "status of users after their first sign-in with the OpenID provider",
    expects: "pending or active",
    fallback: "pending",
  },
  oidcTrustEmail: {
    schema: yesOrNo().default(false),
    description: "treat e-mails as verified if the OpenID provider does not say whether they are",
    expects: "1 or 0",
    fallback: "0",
  },
} as const satisfies Settings;

/** Without TLS everyone on the network path could pose as the provider, except on this machine. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || `${url.search}${url.hash}${url.username}${url.password}` !== "") return false;
  // With the URL of the document itself, its issuer would not be checked.
  if (url.pathname.includes("/.well-known/")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}
