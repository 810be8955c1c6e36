export { connectPlugin } from "./client/connect-plugin.ts";
export type { PluginConnection } from "./client/plugin-connection.ts";
export { RpcError } from "./client/rpc-error.ts";
export { fromModuleManifest, type ModuleSpec } from "./manifest/from-module-manifest.ts";
export type { ModuleField, ModuleManifest, ModuleOperation } from "./manifest/module-manifest.ts";
export { toModuleManifest } from "./manifest/to-module-manifest.ts";
export { toVersion1Module } from "./manifest/to-version-1-module.ts";
export { serve } from "./serve-plugin.ts";
export { createSelfSigned, type SelfSigned } from "./wire/certificate.ts";
export { wireErrorCodes } from "./wire/error-codes.ts";
export {
  type AppVersion,
  appVersions,
  coreVersion,
  type Handshake,
  handshakeVariables,
  magicCookie,
  parseHandshakeLine,
} from "./wire/handshake.ts";
export { reservedOperations } from "./wire/reserved-operations.ts";
export type { Chunk, ExecuteRequest, WireError } from "./wire/wire-messages.ts";
