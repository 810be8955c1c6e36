import type { ConnectorDefinition } from "./connector-definition.ts";
import type { RowConnectorSource } from "./connector-source.ts";
import type { FieldRecord } from "./field-tags.ts";
import { parseFields } from "./fields/parse-fields.ts";
import { checkFields, checkIdentity } from "./read-connector.ts";

/** Checks a connector whose rows bring their operations, and parses its tags. */
export function readRowConnector<Extra extends object>(
  source: RowConnectorSource<FieldRecord, Extra>,
): ConnectorDefinition<Extra> {
  const errorPrefix = `Connector "${source.key}"`;
  checkIdentity(errorPrefix, source);
  const configFields = parseFields(errorPrefix, source.config);
  checkFields(errorPrefix, configFields, new Map(), source.lookup !== undefined);
  const { key, name, icon, tier, description } = source;
  return {
    key,
    name,
    icon,
    tier,
    description,
    configFields,
    operations: new Map(),
    generators: new Map(),
    byRow: {
      discover: source.discover.bind(source),
      run: source.run.bind(source),
      ...(source.findServers !== undefined && { findServers: source.findServers.bind(source) }),
    },
    ...(source.health !== undefined && { health: source.health.bind(source) }),
    ...(source.lookup !== undefined && { lookup: source.lookup.bind(source) }),
  };
}
