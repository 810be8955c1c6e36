import type { ConnectorDefinition, OperationSpec } from "../../connector-definition.ts";
import type { FieldGroup, FieldSpec } from "../../fields/field-spec.ts";
import type { ModuleField, ModuleManifest, ModuleOperation } from "./module-manifest.ts";

/** The `module` of a plugin's manifest, as `--dump-manifest` prints it. */
export function toModuleManifest(definition: ConnectorDefinition): ModuleManifest {
  const { key, name, description, icon, configFields, operations, generators } = definition;
  return {
    Meta: {
      Key: key,
      Name: name,
      Description: description,
      Icon: icon,
      Fixed: false,
      DefaultTags: [],
    },
    Configs: configFields.map(toModuleField),
    Operations: [
      { Title: name, Description: "", Ops: [...operations.values()].map(toModuleOperation) },
    ],
    OAuth: null,
    Capabilities: {
      Health: definition.health !== undefined,
      Lookup: definition.lookup !== undefined,
      Generate: generators.size > 0,
    },
  };
}

function toModuleOperation(operation: OperationSpec): ModuleOperation {
  const { timeoutMs, outputSchema, examples } = operation;
  return {
    Key: operation.key,
    Name: operation.name,
    Description: operation.description,
    Input: operation.inputFields.map(toModuleField),
    Destructive: operation.destructive,
    ...(operation.reads && { Reads: true }),
    ...(operation.idempotent && { Idempotent: true }),
    ConfigOnly: operation.configOnly,
    AdminOnly: operation.adminOnly,
    ...(timeoutMs !== undefined && { TimeoutMs: timeoutMs }),
    ...(outputSchema !== undefined && { OutputSchema: outputSchema }),
    ...(examples.length > 0 && { Examples: examples }),
  };
}

function toModuleField(field: FieldSpec): ModuleField {
  const { visibleWhen, group } = field;
  return {
    Key: field.key,
    Value: field.default ?? "",
    Type: field.widget,
    Options: toOptions(field),
    IsSecret: field.secret,
    CanRegenerate: field.regen,
    Locked: field.locked,
    Required: field.required,
    Description: field.description ?? "",
    hidden: field.hidden,
    ...(field.personal && { personal: true }),
    visible_when:
      visibleWhen === undefined ? "" : `${visibleWhen.field}:${visibleWhen.values.join("|")}`,
    group: group === undefined ? "" : toGroupText(group),
    mode: field.mode ?? "",
    ...(field.pattern !== undefined && {
      pattern: field.pattern.pattern,
      hint: field.pattern.hint,
    }),
    name: field.name,
    base: field.base,
    ...(field.embed !== undefined && { embed: field.embed }),
  };
}

function toOptions(field: FieldSpec): string {
  switch (field.widget) {
    case "dropdown":
      return (field.options ?? []).join("|");
    case "kvlist":
      return (field.columns ?? []).join("|");
    case "picker":
      return field.source ?? "";
    case "html":
      return field.htmlOp ?? "";
    default:
      return "";
  }
}

function toGroupText({ title, description = "", collapsed }: FieldGroup): string {
  if (collapsed) return `${title}|${description}|collapsed`;
  return description === "" ? title : `${title}|${description}`;
}
