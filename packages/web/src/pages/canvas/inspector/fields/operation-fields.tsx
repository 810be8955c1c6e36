import { toFieldLabel } from "@hub/contract/field-label.ts";
import type { OperationForm } from "@hub/contract/row-settings.ts";
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../../../api/use-api.ts";
import type { FormField } from "../../../../form/field-form.ts";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { parseToolId } from "../../../../workflow-parts/tool-id.ts";
import { toFormField } from "../inputs/field-kit.ts";
import { FieldRow } from "../inputs/field-row.tsx";
import { useText } from "../inputs/use-text.ts";
import { jsonForm, toParamForm } from "../inputs/value-text.ts";
import styles from "../inspector.module.css";
import { useRowValues } from "./use-row-values.ts";

type OperationProps = {
  value: unknown;
  onValue: (value: unknown) => void;
  error: string | null;
};

/** The operation that a node calls, with a search for another one. */
export function OperationField({ value, onValue, error }: OperationProps) {
  const address = parseToolId(value);
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed.trim(), 200);
  const found = useApi("GET /manager/api/search", { query: { q: asked } }, { isOn: asked !== "" });
  const row = useApi(
    "GET /manager/api/rows/{row}",
    { params: { row: address?.row ?? "" }, query: { operations: "none" } },
    { isOn: address !== null },
  );
  const named = useApi(
    "GET /manager/api/rows/{row}/operations",
    {
      params: { row: address?.row ?? "" },
      query: { key: address?.operation ?? "", limit: 1 },
    },
    { isOn: address !== null },
  );
  const operation = named.data?.operations[0];
  const name =
    operation === undefined ? String(value ?? "") : `${operation.name} · ${row.data?.label}`;
  const results = asked === "" ? [] : (found.data?.operations ?? []);
  return (
    <div className={styles.field} data-field="tool_id">
      {value !== "" && (
        <p className={styles.operation}>
          <Icon name="connectors" />
          {row.data === undefined || address === null ? (
            <code>{name}</code>
          ) : (
            <Link
              to="/manager/connectors/$key/$row"
              params={{ key: row.data.connector, row: row.data.id }}
            >
              {name}
            </Link>
          )}
        </p>
      )}
      <TextInput
        label={value === "" ? "Operation" : "Choose another operation"}
        placeholder="Search by what it does"
        leftSection={<Icon name="search" />}
        error={error}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {results.length > 0 && (
        <ul className={styles.results}>
          {results.map((one) => (
            <li key={`${one.row}/${one.key}`}>
              <button
                type="button"
                onClick={() => {
                  onValue(`conn:${one.row}/${one.key}`);
                  setTyped("");
                }}
              >
                <span>{one.name}</span>
                <span className={styles.soft}>{one.label}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type ParamsProps = {
  toolId: unknown;
  value: unknown;
  onValue: (value: unknown) => void;
  /** What is wrong, by the name of the input; "" for the inputs as a whole. */
  issues: ReadonlyMap<string, string>;
  /** The field of the item that has them. */
  within?: string;
};

/** The inputs of the operation, by its own fields. */
export function ParamsField({ toolId, ...props }: ParamsProps) {
  const address = parseToolId(toolId);
  const form = useApi(
    "GET /manager/api/rows/{row}/operations/{operation}",
    { params: { row: address?.row ?? "", operation: address?.operation ?? "" } },
    { isOn: address !== null },
  );
  if (address === null) return null;
  if (form.data !== undefined) {
    return <ParamRows row={address.row} form={form.data} {...props} />;
  }
  if (form.error === null) return null;
  return <RawParams {...props} message={form.error.message} />;
}

type RowsProps = Omit<ParamsProps, "toolId"> & { row: string; form: OperationForm };

function ParamRows({ row, form, value, onValue, issues, within = "params" }: RowsProps) {
  const { host, values: params, set } = useRowValues(row, value, onValue);
  const known = form.groups.flatMap(({ fields }) => fields);
  const isShown = ({ visible_when: when }: FormField) => {
    const other = known.find(({ key }) => key === when?.field);
    if (when === null || other === undefined) return true;
    return when.values.includes(String(params[other.key] ?? other.value ?? ""));
  };
  const others = Object.keys(params).filter((key) => !known.some((field) => field.key === key));
  return (
    <fieldset className={styles.list} data-field="params">
      <legend>Inputs</legend>
      <div className={styles.fields}>
        {known.length === 0 && <p className={styles.soft}>This operation has no inputs.</p>}
        {known.filter(isShown).map((field) => (
          <FieldRow
            key={field.key}
            field={{ ...field, is_set: true }}
            label={toFieldLabel(field)}
            form={field.columns.length > 0 ? jsonTextForm : toParamForm(field.base)}
            value={params[field.key] ?? undefined}
            onValue={(next) => set(field.key, next)}
            error={issues.get(field.key) ?? null}
            isTemplate
            isMixed={field.columns.length === 0}
            host={host}
            within={within}
          />
        ))}
        {others.map((key) => (
          <FieldRow
            key={key}
            field={toFormField(key, { name: key, base: "json", description: "Not an input." })}
            label={key}
            form={jsonForm}
            value={params[key]}
            onValue={(next) => set(key, next)}
            error={issues.get(key) ?? null}
            isTemplate
            isMixed
            within={within}
          />
        ))}
      </div>
      {issues.has("") && <p className={styles.issue}>{issues.get("")}</p>}
    </fieldset>
  );
}

/** A table of texts is kept as JSON, with which the operation takes it. */
const jsonTextForm = {
  toText: (value: unknown) =>
    typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value),
  fromText: (text: string) => ({ value: text === "" || text === "[]" ? undefined : text }),
};

type RawProps = Omit<ParamsProps, "toolId"> & { message: string };

/** The inputs as JSON, while the fields of the operation cannot be read. */
function RawParams({ value, onValue, issues, message, within = "params" }: RawProps) {
  const { text, problem, type } = useText(value, jsonForm, onValue);
  return (
    <FieldRow
      field={toFormField(within, { name: "Inputs", base: "json", description: message })}
      label="Inputs"
      form={{ ...jsonForm, toText: () => text }}
      value={value}
      onValue={(next) => type(JSON.stringify(next))}
      error={problem ?? issues.get("") ?? null}
      isTemplate={false}
      holdsTemplates
      isMixed
    />
  );
}
