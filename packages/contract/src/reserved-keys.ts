/** Keys of the connectors of every hub, which no plugin may have. */
export const reservedKeys = [
  "http",
  "hub",
  "mcp",
  "openapi",
  "slack",
  "telegram",
  "workflow",
  "workflow_tool",
] as const;

/** The key of a built-in connector where a plugin has its own one begins with this, so no plugin's does. */
export const ownKeyPrefix = "hub_";
