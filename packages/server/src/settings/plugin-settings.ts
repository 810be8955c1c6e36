import { findPublicKey } from "@hub/contract/plugin-manifest.ts";
import { z } from "zod";
import { hostList, limit, readList, type Settings, wholeNumber, yesOrNo } from "./setting.ts";

/** With less, most programs do not start. */
const memoryBytesMin = 64 * 1024 ** 2;

/** Which hosts connectors may call, which plugins may run, and how. */
export const pluginSettings = {
  outboundAllow: hostList("private hosts and networks that connectors may call, comma-separated"),
  pluginPubkey: {
    schema: z
      .string()
      .transform(readList)
      .refine((keys) => keys.every((key) => findPublicKey(key) !== null))
      .default([]),
    description: "Ed25519 public keys whose plugins are trusted, base64, comma-separated",
    expects: "a comma-separated list of base64 texts of 32 bytes, as `wick plugin keygen` prints",
    fallback: "none",
  },
  pluginRequireSignature: {
    schema: yesOrNo().nullable().default(null),
    description: "1 refuses plugins without a trusted signature, 0 also accepts unsigned plugins",
    expects: "1 or 0",
    fallback: "1 with a key in HUB_PLUGIN_PUBKEY, else 0",
  },
  pluginAllowBinarySignatures: {
    schema: yesOrNo().default(false),
    description: "accept signatures over only the program's hash, for version-1 plugins",
    expects: "1 or 0",
    fallback: "0",
  },
  pluginCosignPubkey: {
    schema: z.string().nullable().default(null),
    description: "cosign public key, PEM or a file; each plugin's program must have its signature",
    expects: "a PEM text or a file",
    fallback: "none",
  },
  pluginCatalog: {
    schema: z.string().nullable().default(null),
    description: "URL or file of the plugin catalog",
    expects: "an https address or a file",
    fallback: "the catalog of this build; in a checkout the one from `npm run plugins`",
  },
  pluginProcsMax: {
    schema: wholeNumber(1, 1000).default(8),
    description: "maximum number of plugin processes",
    expects: "a whole number from 1 to 1000",
    fallback: "8",
  },
  pluginMemoryBytes: {
    schema: limit(memoryBytesMin, 10 ** 14)
      .nullable()
      .default(null),
    description: "memory of one program of a plugin or row, where it has a cgroup; 0 is no limit",
    expects: "0, or a whole number from 67108864",
    fallback: "half of the machine's memory, at most 4294967296",
  },
  pluginDataBytes: {
    schema: limit(memoryBytesMin, 10 ** 14).default(8 * 1024 ** 3),
    description:
      "memory that each process of such a program can reserve, where it has no cgroup; 0 is no limit",
    expects: "0, or a whole number from 67108864",
    fallback: "8589934592",
  },
  pluginTasksMax: {
    schema: limit(16, 2 ** 22).default(4096),
    description:
      "maximum number of processes and threads of one program, or of all programs of HUB_PLUGIN_USER where they have no cgroups; 0 is no limit",
    expects: "0, or a whole number from 16 to 4194304",
    fallback: "4096",
  },
  pluginUser: {
    schema: z
      .string()
      .regex(/^(?:\d+:\d+|[\w.-]+)$/)
      .nullable()
      .default(null),
    description:
      "user who runs the programs of plugins and rows; the hub must run as root on Linux for it",
    expects: "a user's name or number, or two numbers such as 990:990",
    fallback: "the hub's own user",
  },
  pluginFence: {
    schema: z.enum(["auto", "required", "off"]).default("auto"),
    description:
      "whether programs of plugins and rows are kept away from the hub's files and processes: auto does where the system can, required starts none elsewhere, off never does",
    expects: "auto, required or off",
    fallback: "auto",
  },
} as const satisfies Settings;
