import { z } from "zod";
import { isSecureAddress, readList, type Settings, yesOrNo } from "./setting.ts";

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
