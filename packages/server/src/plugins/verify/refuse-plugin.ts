import { HubError } from "../../errors.ts";

/** The checks that can refuse a plugin, as their refusals name them. */
export type PluginCheck =
  | "source"
  | "download"
  | "archive"
  | "manifest"
  | "key"
  | "platform"
  | "protocol"
  | "program"
  | "sha256"
  | "signature"
  | "cosign"
  | "version";

export type Refusal = {
  /** Its key, or where it comes from while the key is not known. */
  plugin: string;
  check: PluginCheck;
  expected: string;
  found: string;
  /** A sentence that says what to do. */
  remedy: string;
  /** The same with paths of the hub's machine, where `expected` and `found` leave them out. */
  local?: { expected: string; found: string };
  cause?: unknown;
};

/** The failure that says which plugin was refused by which check, and what to do about it. */
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
