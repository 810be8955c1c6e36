import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import type { ConnectorRegistry } from "./registry.ts";

/**
 * The keys of this program's connectors that a plugin had first, with the key that the connector has instead: `hub_KEY`,
 * or null if that is taken, too. Such a plugin keeps its rows, also after it was removed: the connector would read their
 * settings as its own. The plugin is refused at its next install.
 */
export type KeptKeys = ReadonlyMap<string, string | null>;

/** The key of one of this program's connectors on this hub; null if it is off. */
export function toOwnKey(kept: KeptKeys, key: string): string | null {
  const own = kept.get(key);
  return own === undefined ? key : own;
}

/** The key that a built-in connector has in this process; null if it is off. */
export function findOwnKey(registry: Pick<ConnectorRegistry, "find">, key: string): string | null {
  const keys = [key, `${ownKeyPrefix}${key}`];
  return keys.find((one) => registry.find(one)?.tier === "builtin") ?? null;
}

/** A connector with its key on this hub; none if it is off. */
export function withOwnKey<Of extends { key: string }>(kept: KeptKeys, connector: Of): Of[] {
  const key = toOwnKey(kept, connector.key);
  if (key === null) return [];
  return key === connector.key ? [connector] : [{ ...connector, key }];
}
