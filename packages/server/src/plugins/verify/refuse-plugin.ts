import { HubError } from "../../errors.ts";

/** The checks that can refuse a plugin, by the names in refusals. */
export type PluginCheck =
  | "source"
  | "download"
  | "archive"
  | "manifest"
  | "key"
  | "platform"
  | "hub"
  | "protocol"
  | "program"
  | "sha256"
  | "signature"
  | "cosign"
  | "version";

export type Refusal = {
  /** Its key, or its source if the key is not known. */
  plugin: string;
  check: PluginCheck;
  expected: string;
  found: string;
  /** A sentence that says what to do. */
  remedy: string;
  /** The texts with paths of the hub's machine, which `expected` and `found` omit. */
  local?: { expected: string; found: string };
  cause?: unknown;
};

/** The error for a refused plugin: names the plugin and the check, and says what to do. */
export function refusePlugin({ cause, local, ...refusal }: Refusal): HubError {
  const { plugin, check, expected, found } = refusal;
  return new HubError("plugin_refused", describeRefusal(refusal), {
    detail: { plugin, check, expected, found },
    ...(local !== undefined && { localMessage: describeRefusal({ ...refusal, ...local }) }),
    cause,
  });
}

function describeRefusal({ plugin, check, expected, found, remedy }: Refusal): string {
  return `The plugin ${plugin} was refused (check: ${check}). Expected ${expected}; found ${found}. ${remedy}`;
}
