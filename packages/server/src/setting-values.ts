import { findAllowFault } from "@hub/connector";
import { findPublicKey } from "@hub/contract/plugin-manifest.ts";
import { z } from "zod";
import { type BudgetSpec, budgetTable } from "./lib/budgets/budget-table.ts";
import { isLoopbackHost } from "./lib/network/bind-host.ts";
import { findProxyFault } from "./lib/network/trusted-proxies.ts";

/** Less than the largest event would refuse that event for ever. */
const runBytesMin = 64 * 1024 ** 2;
/** With less, most programs do not start. */
const memoryBytesMin = 64 * 1024 ** 2;

/** Parses the texts of settings. Settings that are not given have their defaults. */
export const valuesSchema = z.object({
  host: z
    .string()
    .regex(/^[\w.:%-]+$/)
    .default("127.0.0.1"),
  port: wholeNumber(0, 65_535).default(7420),
  baseUrl: z.string().transform(readBaseUrl).nullable().default(null),
  trustedProxies: z
    .string()
    .transform(readList)
    .refine((entries) => findProxyFault(entries) === null)
    .default([]),
  drainSeconds: wholeNumber(0, 300).default(0),
  oidcIssuer: z.string().refine(isIssuer).nullable().default(null),
  oidcClientId: z.string().nullable().default(null),
  oidcClientSecret: z.string().nullable().default(null),
  oidcName: z.string().max(60).default("single sign-on"),
  oidcAllowedDomains: z
    .string()
    .transform((text) => readList(text.toLowerCase()))
    .refine((domains) => domains.every((domain) => /^[^\s@]+$/.test(domain)))
    .default([]),
  oidcNewUsers: z.enum(["pending", "active"]).default("pending"),
  oidcTrustEmail: yesOrNo().default(false),
  dataDir: z.string().optional(),
  secretsDir: z.string().nullable().default(null),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  databaseUrl: z.string().refine(isPostgresUrl).nullable().default(null),
  migrate: z.enum(["auto", "off"]).default("auto"),
  upgradeBackup: z.enum(["on", "required", "off"]).default("on"),
  encKey: z.string().nullable().default(null),
  encDisable: yesOrNo().default(false),
  rowTokens: z.enum(["bound", "user"]).default("bound"),
  oauthClientDocuments: z.enum(["auto", "on", "off"]).default("auto"),
  mcpSessions: z.enum(["adopt", "strict"]).default("adopt"),
  bridgeStdio: yesOrNo().nullable().default(null),
  bridgeStartSeconds: wholeNumber(1, 3600).default(120),
  bridgeTrust: z.enum(["review", "row"]).default("review"),
  workflowAuthors: z.enum(["users", "admins"]).default("users"),
  workflowMcp: z.enum(["draft", "publish"]).default("draft"),
  workflowHttp: z.enum(["users", "admins"]).default("admins"),
  workflowOutboundAllow: z
    .string()
    .transform(readList)
    .refine((entries) => findAllowFault(entries) === null)
    .default([]),
  workflowCallsAtOnce: wholeNumber(1, 1_000_000).default(32),
  resultBytesMax: wholeNumber(1024, 1024 ** 3).default(1024 ** 2),
  auditRetentionDays: wholeNumber(1, 36_500).default(7),
  diskFreeBytesMin: wholeNumber(0, 10 ** 12).default(64 * 1024 ** 2),
  auditBytesMax: wholeNumber(0, 10 ** 12).default(0),
  changesPerDay: wholeNumber(0, 10 ** 9).default(100_000),
  auditUserBytesPerDay: limit(2 ** 20, 10 ** 12).default(1024 ** 3),
  workflowRetentionDays: wholeNumber(1, 36_500).default(30),
  workflowRequestsPerMinute: wholeNumber(0, 1_000_000).default(600),
  workflowBytesPerDay: limit(runBytesMin, 10 ** 14).default(4 * 1024 ** 3),
  userCallsPerMinute: wholeNumber(0, 1_000_000).default(600),
  userCallsAtOnce: wholeNumber(0, 1_000_000).default(32),
  rowCallsPerMinute: wholeNumber(0, 1_000_000).default(0),
  rowCallsAtOnce: wholeNumber(0, 1_000_000).default(0),
  budgetSecretChars: budget(budgetTable.secretChars),
  budgetMemoryBytes: budget(budgetTable.memoryBytes),
  budgetBodyBytes: budget(budgetTable.bodyBytes),
  budgetGuesses: budget(budgetTable.guesses),
  outboundAllow: z
    .string()
    .transform(readList)
    .refine((entries) => findAllowFault(entries) === null)
    .default([]),
  pluginPubkey: z
    .string()
    .transform(readList)
    .refine((keys) => keys.every((key) => findPublicKey(key) !== null))
    .default([]),
  pluginRequireSignature: yesOrNo().nullable().default(null),
  pluginAllowBinarySignatures: yesOrNo().default(false),
  pluginCosignPubkey: z.string().nullable().default(null),
  pluginCatalog: z.string().nullable().default(null),
  pluginProcsMax: wholeNumber(1, 1000).default(8),
  pluginMemoryBytes: limit(memoryBytesMin, 10 ** 14)
    .nullable()
    .default(null),
  pluginDataBytes: limit(memoryBytesMin, 10 ** 14).default(8 * 1024 ** 3),
  pluginTasksMax: limit(16, 2 ** 22).default(4096),
  pluginUser: z
    .string()
    .regex(/^(?:\d+:\d+|[\w.-]+)$/)
    .nullable()
    .default(null),
  pluginFence: z.enum(["auto", "required", "off"]).default("auto"),
  embeddingsUrl: z.string().refine(isEmbeddingsUrl).nullable().default(null),
  embeddingsModel: z.string().max(200).nullable().default(null),
  // Only these characters can be sent in a header.
  embeddingsKey: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .nullable()
    .default(null),
});

export type Values = z.output<typeof valuesSchema>;
export type SettingName = keyof Values;

function yesOrNo() {
  return z.enum(["1", "true", "0", "false"]).transform((text) => text === "1" || text === "true");
}

/** 0 is no limit. */
function limit(min: number, max: number) {
  return wholeNumber(0, max).refine((value) => value === 0 || value >= min);
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);
}

function budget({ min, max, default: fallback }: BudgetSpec) {
  return wholeNumber(min, max).default(fallback);
}

function readBaseUrl(text: string, ctx: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === "/" &&
    `${url.search}${url.hash}${url.username}${url.password}` === "";
  if (!isPlain) {
    ctx.addIssue({ code: "custom", message: "not a base address" });
    return z.NEVER;
  }
  return url.origin;
}

/** Without TLS everyone on the network path could pose as the provider, except on this machine. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || `${url.search}${url.hash}${url.username}${url.password}` !== "") return false;
  // With the URL of the document itself, its issuer would not be checked.
  if (url.pathname.includes("/.well-known/")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}

/** Without TLS everyone on the network path could read the texts and the key. */
function isEmbeddingsUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || `${url.search}${url.hash}${url.username}${url.password}` !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}

function readList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function isPostgresUrl(text: string): boolean {
  const { protocol, pathname } = URL.parse(text) ?? { protocol: "", pathname: "" };
  return /^postgres(?:ql)?:$/.test(protocol) && pathname.length > 1;
}
