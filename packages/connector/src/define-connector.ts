import type { ConnectorDefinition } from "./connector-definition.ts";
import type { ConnectorSource, RowConnectorSource } from "./connector-source.ts";
import type { FieldRecord } from "./field-tags.ts";
import { readConnector } from "./read-connector.ts";
import { readRowConnector } from "./read-row-connector.ts";

/**
 * Checks a connector and parses its field tags. Throws an Error that names the connector, the
 * operation, the field and the invalid attribute, so that a mistake shows when the program starts.
 *
 * @example
 * export const tracker = defineConnector({
 *   key: "tracker",
 *   name: "Tracker",
 *   icon: "bug",
 *   tier: "plugin",
 *   description: "Reads and writes issues of the tracker.",
 *   config: { BaseURL: wick("url;required"), Token: wick("secret;required") },
 *   operations: {
 *     get_issue: {
 *       description: "Reads one issue.",
 *       input: { Number: wick.int("required;desc=The number after the #") },
 *       async run({ config, params, fetch }) {
 *         const url = new URL(`/issues/${params.Number}`, config.BaseURL);
 *         return await (await fetch(url)).json();
 *       },
 *     },
 *   },
 * });
 */
export function defineConnector<Config extends FieldRecord, Inputs extends Record<string, unknown>>(
  source: ConnectorSource<Config, Inputs, object>,
): ConnectorDefinition {
  return readConnector<object>(source);
}

/**
 * The same as `defineConnector`, for a connector whose functions need additional context. The host
 * passes `Extra` to `runOperation`.
 *
 * @example
 * export const hub = defineConnectorWith<{ caller: Caller }>()({ … });
 */
export function defineConnectorWith<Extra extends object>(): <
  Config extends FieldRecord,
  Inputs extends Record<string, unknown>,
>(
  source: ConnectorSource<Config, Inputs, Extra>,
) => ConnectorDefinition<Extra> {
  return (source) => readConnector<Extra>(source);
}

/**
 * Checks a connector whose rows bring their operations: `discover` asks the outside system for them,
 * `run` calls one. The hub stores what was discovered, and an admin approves it before it is used.
 *
 * @example
 * export const robots = defineRowConnector<{ caller: Caller }>()({
 *   operations: "by row",
 *   discover: async ({ config, fetch }) => await listCommands(fetch, config.Address),
 *   run: async ({ operation, params }) => await sendCommand(operation.sourceName, params),
 *   …
 * });
 */
export function defineRowConnector<Extra extends object = object>(): <Config extends FieldRecord>(
  source: RowConnectorSource<Config, Extra>,
) => ConnectorDefinition<Extra> {
  return (source) => readRowConnector<Extra>(source);
}
