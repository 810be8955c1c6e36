/** An operation that must be chosen: a connector, an operation of it and what the row is for. */
export type Placeholder = {
  connectorKey: string;
  operationKey: string;
  /** The name of the row in the workflow: what it is for, or the key of its connector. */
  rowName: string;
};

const pattern = /^choose:([a-z0-9_-]{1,64})\/([a-z0-9_]{1,64})(?:#([a-z0-9_]{1,64}))?$/;

/**
 * Reads the tool id of an operation that is not chosen yet, as examples have it. Null for other texts.
 *
 * @example parsePlaceholder("choose:http/post#chat")
 */
export function parsePlaceholder(toolId: string): Placeholder | null {
  const [, connectorKey, operationKey, purpose] = pattern.exec(toolId) ?? [];
  if (connectorKey === undefined || operationKey === undefined) return null;
  return { connectorKey, operationKey, rowName: purpose ?? connectorKey };
}
