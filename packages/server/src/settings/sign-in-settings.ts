import { z } from "zod";
import { isSecureAddress, readList, type Settings, wholeNumber, yesOrNo } from "./setting.ts";

/** Single sign-on with an OpenID provider, second factors and fresh sign-ins. */
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
  ssoScopes: {
    schema: z
      .string()
      .transform((text) => text.split(/[\s,]+/).filter((scope) => scope !== ""))
      .refine((scopes) => scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope)))
      .default([]),
    description:
      "scopes that the hub asks the OpenID provider for beside openid, email and profile",
    expects: "scopes with spaces in between, such as offline_access groups",
    fallback: "none",
  },
  ssoGroupsClaim: {
    schema: z.string().trim().min(1).max(200).nullable().default(null),
    description: "claim with the groups of a user, or the path to it",
    expects:
      "the name of a claim, such as groups or realm_access.roles, with at most 200 characters",
    fallback: "none: groups give nothing",
  },
  ssoRequiredGroup: {
    schema: z.string().min(1).max(256).nullable().default(null),
    description: "group that single sign-on requires",
    expects: "the name of a group, as the provider sends it",
    fallback: "none",
  },
  ssoVerifiedEmails: {
    schema: z
      .string()
      .transform((text) => readList(text.toLowerCase()))
      .refine((domains) => domains.every((domain) => /^[^\s@]+$/.test(domain)))
      .default([]),
    description:
      "e-mail domains whose addresses the OpenID provider has verified, although it does not say so",
    expects: "a comma-separated list of domains, such as example.com",
    fallback: "none",
  },
  ssoStaleMinutes: {
    schema: wholeNumber(1, 10_080).default(60),
    description: "minutes for which users stay admitted while the OpenID provider does not answer",
    expects: "a whole number from 1 to 10080",
    fallback: "60",
  },
  ssoEnded: {
    schema: z.enum(["all", "sessions"]).default("all"),
    description:
      "what ends when the OpenID provider no longer confirms a user: browser sessions, or tokens and applications too",
    expects: "all or sessions",
    fallback: "all",
  },
  ssoLogout: {
    schema: z.enum(["all", "sessions"]).default("sessions"),
    description:
      "what ends when a user is logged out at the OpenID provider: browser sessions, or tokens and applications too",
    expects: "all or sessions",
    fallback: "sessions",
  },
  oidcTrustEmail: {
    schema: yesOrNo().default(false),
    description: "treat e-mails as verified if the OpenID provider does not say whether they are",
    expects: "1 or 0",
    fallback: "0",
  },
  secondFactor: {
    schema: z.enum(["optional", "admins", "required"]).default("optional"),
    description: "who needs a second factor to sign in with a password",
    expects: "optional, admins or required",
    fallback: "optional",
  },
  freshSignIn: {
    schema: z
      .string()
      .transform((text) => (text === "off" ? 0 : Number(text)))
      .refine((minutes) => Number.isInteger(minutes) && minutes >= 0 && minutes <= 60)
      .default(0),
    description:
      "minutes for which a sign-in is enough to change who has access; after them the hub asks again",
    expects: "off, or minutes from 1 to 60",
    fallback: "off",
  },
  freshDecisions: {
    schema: yesOrNo().default(false),
    description: "ask for a fresh sign-in before calls and approvals are decided",
    expects: "1 or 0",
    fallback: "0",
  },
} as const satisfies Settings;

/** With the URL of the document itself, its issuer would not be checked. */
function isIssuer(text: string): boolean {
  return isSecureAddress(text) && !new URL(text).pathname.includes("/.well-known/");
}
