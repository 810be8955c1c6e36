import type { ConnectorDefinition, OperationDefinition } from "./connector-definition.ts";
import type { ConnectorSource } from "./connector-source.ts";
import type { FieldRecord } from "./field-tags.ts";
import type { FieldSpec } from "./fields/field-spec.ts";
import { parseFields } from "./fields/parse-fields.ts";
import { isWireKey } from "./fields/wire-key.ts";
import { type AnyOperationSource, readOperation } from "./read-operation.ts";
import { suggest } from "./suggest.ts";

/** A connector source without its types. */
export type AnyConnectorSource<Extra> = Omit<
  ConnectorSource<FieldRecord, Record<string, FieldRecord>, Extra>,
  "operations"
> & { operations: Record<string, AnyOperationSource<Extra>> };

/** Checks a connector and parses its tags. Every error names its position. */
export function readConnector<Extra extends object>(
  source: AnyConnectorSource<Extra>,
): ConnectorDefinition<Extra> {
  const errorPrefix = `Connector "${source.key}"`;
  checkIdentity(errorPrefix, source);
  const configFields = parseFields(errorPrefix, source.config);
  const operations = new Map(
    Object.entries(source.operations).map(([key, operation]) => [
      key,
      readOperation(errorPrefix, key, operation),
    ]),
  );
  checkFields(errorPrefix, configFields, operations, source.lookup !== undefined);
  for (const { key, inputFields } of operations.values()) {
    const operationPrefix = `${errorPrefix}, operation ${key}`;
    checkFields(operationPrefix, inputFields, operations, source.lookup !== undefined);
    checkInputs(operationPrefix, inputFields);
  }
  const { key, name, icon, tier, description } = source;
  return {
    key,
    name,
    icon,
    tier,
    description,
    configFields,
    operations,
    generators: readGenerators(errorPrefix, configFields, source.generators ?? {}),
    ...(source.health !== undefined && { health: source.health.bind(source) }),
    ...(source.lookup !== undefined && { lookup: source.lookup.bind(source) }),
  };
}

/** Checks the parts that every connector has. */
export function checkIdentity(
  errorPrefix: string,
  source: Pick<ConnectorDefinition, "key" | "name" | "description">,
): void {
  if (!isWireKey(source.key)) {
    throw new Error(`${errorPrefix}: its key must be a-z, 0-9 and _, at most 64`);
  }
  if (source.name.trim() === "") throw new Error(`${errorPrefix}: has no name`);
  if (source.description.trim() === "") throw new Error(`${errorPrefix}: has no description`);
}

/** Checks what a field's widget needs from the rest of the connector. */
export function checkFields(
  errorPrefix: string,
  fields: readonly FieldSpec[],
  operations: ReadonlyMap<string, OperationDefinition>,
  hasLookup: boolean,
): void {
  for (const { name, widget, htmlOp } of fields) {
    if (widget === "picker" && !hasLookup) {
      throw new Error(
        `${errorPrefix}, field ${name}: attribute "picker" needs the connector's lookup`,
      );
    }
    if (htmlOp !== undefined) checkHtmlOp(`${errorPrefix}, field ${name}`, htmlOp, operations);
  }
}

function checkHtmlOp(
  errorPrefix: string,
  key: string,
  operations: ReadonlyMap<string, OperationDefinition>,
): void {
  const operation = operations.get(key);
  if (operation === undefined) {
    const nearest = suggest(key, operations.keys());
    throw new Error(`${errorPrefix}: attribute "html" names no operation "${key}".${nearest}`);
  }
  // Its markup is for the settings page, so a model must not run it.
  if (!operation.configOnly && !operation.adminOnly) {
    throw new Error(
      `${errorPrefix}: attribute "html" needs the operation ${key} to be configOnly or adminOnly`,
    );
  }
}

function checkInputs(errorPrefix: string, fields: readonly FieldSpec[]): void {
  const field = fields.find(({ regen, personal }) => regen || personal);
  if (field === undefined) return;
  throw new Error(
    `${errorPrefix}, field ${field.name}: attribute "${field.regen ? "regen" : "personal"}" is for configuration, not for inputs`,
  );
}

type Generator = () => string | Promise<string>;

function readGenerators(
  errorPrefix: string,
  fields: readonly FieldSpec[],
  generators: { [name: string]: Generator | undefined },
): ReadonlyMap<string, Generator> {
  const byKey = new Map<string, Generator>();
  for (const { name, key, regen } of fields) {
    const generator = Object.hasOwn(generators, name) ? generators[name] : undefined;
    if (!regen) continue;
    if (generator === undefined) {
      throw new Error(
        `${errorPrefix}, field ${name}: attribute "regen" has no generator "${name}"`,
      );
    }
    byKey.set(key, generator);
  }
  const regenNames = fields.filter(({ regen }) => regen).map(({ name }) => name);
  const idle = Object.keys(generators).find((name) => !regenNames.includes(name));
  if (idle === undefined) return byKey;
  throw new Error(
    `${errorPrefix}: the generator "${idle}" belongs to no field with "regen".${suggest(idle, regenNames)}`,
  );
}
