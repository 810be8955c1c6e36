import { z } from "zod";
import { type Settings, wholeNumber, yesOrNo } from "./setting.ts";

/** Where the hub keeps its data, its keys, and how it treats clients. */
export const dataSettings = {
  dataDir: {
    schema: z.string().optional(),
    description: "folder of the database and the key file",
    expects: "a folder",
    fallback: ".hub in the current project, else the user's data folder",
  },
  secretsDir: {
    schema: z.string().nullable().default(null),
    description: "folder of files whose content is a secret each, for references of a hub file",
    expects: "a folder",
    fallback: "none",
  },
  secretsKeepSeconds: {
    schema: wholeNumber(1, 86_400).default(300),
    description: "seconds for which a secret of a secret manager is kept before it is read again",
    expects: "a whole number from 1 to 86400",
    fallback: "300",
  },
  secretsAwaySeconds: {
    schema: wholeNumber(0, 604_800).default(3600),
    description:
      "seconds for which the last value is used on, while its secret manager cannot be reached",
    expects: "a whole number from 0 to 604800",
    fallback: "3600",
  },
  logLevel: {
    schema: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
    description: "lowest level that is logged",
    expects: "one of trace, debug, info, warn, error, fatal, silent",
    fallback: "info",
  },
  databaseUrl: {
    schema: z.string().refine(isPostgresUrl).nullable().default(null),
    description: "PostgreSQL database, which replaces the SQLite database of the data folder",
    expects: "an address such as postgres://user:password@host:5432/database",
    fallback: "SQLite in the data folder",
    secret: true,
  },
  migrate: {
    schema: z.enum(["auto", "off"]).default("auto"),
    description:
      "auto applies missing migrations of the database at start, off refuses to start without them",
    expects: "auto or off",
    fallback: "auto",
  },
  upgradeBackup: {
    schema: z.enum(["on", "required", "off"]).default("on"),
    description:
      "whether a SQLite database is copied before it is upgraded: on does if there is space, required refuses to upgrade without, off never does",
    expects: "on, required or off",
    fallback: "on",
  },
  encKey: {
    schema: z.string().nullable().default(null),
    description: "master keys, 32 bytes each, hex or base64, comma-separated; the first encrypts",
    expects: "text",
    fallback: "the key file in the data folder",
    secret: true,
  },
  encDisable: {
    schema: yesOrNo().default(false),
    description: "disable the masking of secrets in results and recorded calls",
    expects: "1 or 0",
    fallback: "0",
  },
  rowTokens: {
    schema: z.enum(["bound", "user"]).default("bound"),
    description:
      "tokens of a row's secrets open only in calls of that row (bound) or in all calls of the user (user)",
    expects: "bound or user",
    fallback: "bound",
  },
  oauthClientDocuments: {
    schema: z.enum(["auto", "on", "off"]).default("auto"),
    description:
      "accept OAuth clients with metadata documents; auto pauses if documents cannot be loaded",
    expects: "auto, on or off",
    fallback: "auto",
  },
  mcpSessions: {
    schema: z.enum(["adopt", "strict"]).default("adopt"),
    description: "unknown MCP session ids: adopt serves them, strict answers 404",
    expects: "adopt or strict",
    fallback: "adopt",
  },
} as const satisfies Settings;

function isPostgresUrl(text: string): boolean {
  const { protocol, pathname } = URL.parse(text) ?? { protocol: "", pathname: "" };
  return /^postgres(?:ql)?:$/.test(protocol) && pathname.length > 1;
}
