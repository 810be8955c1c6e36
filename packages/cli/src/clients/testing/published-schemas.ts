/**
 * What the publishers of clients say about the files, as schemas. Except for opencode, the tests
 * cannot run the programs of these clients. All were read on 2026-11-22. An unknown member is a
 * fault, also where the client would ignore it. The exception is `cwd`: every entry of a program that
 * runs from source has it, and clients without such a member ignore it.
 */
import { z } from "zod";
import type { ClientId } from "../client-definition.ts";

const strings = z.record(z.string(), z.string());
const undocumentedFolder = z.string().optional();
const httpUrl = z.url({ protocol: /^https?$/ });

/**
 * The documentation names the members:
 * https://modelcontextprotocol.io/docs/develop/connect-local-servers
 * The schema for bundles of the same client allows no others:
 * https://github.com/modelcontextprotocol/mcpb/blob/main/src/schemas/0.4.ts (McpServerConfigSchema)
 * The file has other settings too.
 */
const claudeDesktop = z.looseObject({
  mcpServers: z.record(
    z.string(),
    z.strictObject({
      command: z.string(),
      args: z.array(z.string()).optional(),
      cwd: undocumentedFolder,
      env: strings.optional(),
    }),
  ),
});

/** https://cursor.com/docs/mcp (the table of STDIO servers, the example and `auth` of remote ones) */
const cursor = z.strictObject({
  mcpServers: z.record(
    z.string(),
    z.union([
      z.strictObject({
        type: z.literal("stdio"),
        command: z.string(),
        args: z.array(z.string()).optional(),
        cwd: undocumentedFolder,
        env: strings.optional(),
        envFile: z.string().optional(),
      }),
      z.strictObject({
        url: httpUrl,
        headers: strings.optional(),
        auth: z
          .strictObject({
            CLIENT_ID: z.string(),
            CLIENT_SECRET: z.string().optional(),
            scopes: z.array(z.string()).optional(),
          })
          .optional(),
      }),
    ]),
  ),
});

/**
 * https://code.visualstudio.com/docs/agents/reference/mcp-configuration, and the schema of the
 * editor, which allows no other members:
 * https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/mcp/common/mcpConfiguration.ts
 */
const vscode = z.strictObject({
  servers: z.record(
    z.string(),
    z.union([
      z.strictObject({
        type: z.literal("stdio"),
        command: z.string(),
        args: z.array(z.string()).optional(),
        cwd: z.string().optional(),
        env: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).optional(),
        envFile: z.string().optional(),
        dev: z.looseObject({}).optional(),
        sandboxEnabled: z.boolean().optional(),
      }),
      z.strictObject({
        type: z.enum(["http", "sse"]),
        url: httpUrl,
        headers: strings.optional(),
        oauth: z.looseObject({ clientId: z.string() }).optional(),
        dev: z.looseObject({}).optional(),
      }),
    ]),
  ),
  inputs: z.array(z.looseObject({ id: z.string(), type: z.string() })).optional(),
  sandbox: z.looseObject({}).optional(),
});

/**
 * https://zed.dev/docs/ai/mcp, and the types from which the editor makes its schema
 * (ContextServerSettingsContent):
 * https://github.com/zed-industries/zed/blob/main/crates/settings_content/src/project.rs
 * That schema allows no other members:
 * https://github.com/zed-industries/zed/blob/main/crates/util/src/schemars.rs
 * The file has all other settings of the editor too.
 */
const zed = z.looseObject({
  context_servers: z.record(
    z.string(),
    z.union([
      z.strictObject({
        enabled: z.boolean().optional(),
        remote: z.boolean().optional(),
        command: z.string(),
        args: z.array(z.string()).optional(),
        env: strings.nullish(),
        timeout: z.int().nonnegative().nullish(),
      }),
      z.strictObject({
        enabled: z.boolean().optional(),
        url: z.string(),
        headers: strings.optional(),
        timeout: z.int().nonnegative().nullish(),
        oauth: z
          .strictObject({ client_id: z.string(), client_secret: z.string().nullish() })
          .nullish(),
      }),
    ]),
  ),
});

/**
 * https://opencode.ai/config.json (McpLocalConfig, McpRemoteConfig). The file has other settings too.
 */
const opencode = z.looseObject({
  mcp: z.record(
    z.string(),
    z.union([
      z.strictObject({
        type: z.literal("local"),
        command: z.array(z.string()),
        cwd: z.string().optional(),
        environment: strings.optional(),
        enabled: z.boolean().optional(),
        timeout: z.int().positive().optional(),
      }),
      z.strictObject({
        type: z.literal("remote"),
        url: z.string(),
        enabled: z.boolean().optional(),
        headers: strings.optional(),
        oauth: z.union([z.looseObject({}), z.literal(false)]).optional(),
        timeout: z.int().positive().optional(),
      }),
    ]),
  ),
});

export const publishedSchemas = {
  "claude-desktop": claudeDesktop,
  cursor,
  vscode,
  zed,
  opencode,
} satisfies Partial<Record<ClientId, z.ZodType>>;
