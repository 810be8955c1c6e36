import type { ConnectionPlan } from "@hub/contract/connection-plan.ts";
import { toFieldLabel } from "@hub/contract/field-label.ts";
import { PasswordInput, Select, TextInput } from "@mantine/core";
import styles from "./add-api.module.css";

/** The chosen way by its place in the plan, and what was typed, by field key. */
export type TypedValues = { at: number; texts: Readonly<Record<string, string>> };

type Props = {
  plan: ConnectionPlan;
  typed: TypedValues;
  issues: Readonly<Record<string, string>>;
  onChange: (typed: TypedValues) => void;
};

/** How the hub authenticates: as the document asks for, with the fields to fill in. */
export function AuthenticationFields({ plan, typed, issues, onChange }: Props) {
  const chosen = plan.authentications[typed.at];
  return (
    <fieldset className={styles.set}>
      <legend>Authentication</legend>
      <Select
        aria-label="Authentication"
        data={plan.authentications.map((one, at) => ({
          value: String(at),
          label: describeMode(one),
        }))}
        value={String(typed.at)}
        allowDeselect={false}
        onChange={(value) => onChange({ ...typed, at: Number(value ?? 0) })}
      />
      {chosen !== undefined && chosen.description !== "" && (
        <p className={styles.note}>
          <bdi>{chosen.description}</bdi>
        </p>
      )}
      {chosen?.fields.map((field) => {
        const Input = field.secret ? PasswordInput : TextInput;
        return (
          <Input
            key={field.key}
            mt="xs"
            label={toFieldLabel(field)}
            autoComplete={field.secret ? "new-password" : "off"}
            value={typed.texts[field.key] ?? field.value}
            error={issues[field.key] ?? null}
            onChange={(event) =>
              onChange({
                ...typed,
                texts: { ...typed.texts, [field.key]: event.currentTarget.value },
              })
            }
          />
        );
      })}
    </fieldset>
  );
}

const modes: Record<string, string> = {
  none: "No authentication",
  api_key: "API key",
  basic: "User name and password",
  bearer: "Token (bearer)",
  client_credentials: "OAuth with client credentials",
  oauth: "OAuth: sign in at the server",
  headers: "Headers",
};

function describeMode({ mode, name }: ConnectionPlan["authentications"][number]): string {
  const text = modes[mode] ?? mode;
  return name === "" ? text : `${text} – ${name}`;
}

/** The values of the row's fields of authentication. What is empty is set later. */
export function toValues(plan: ConnectionPlan, { at, texts }: TypedValues): Record<string, string> {
  const chosen = plan.authentications[at];
  if (chosen === undefined) return {};
  const filled = chosen.fields.flatMap(({ key, value }) => {
    const text = texts[key] ?? value;
    return text === "" ? [] : [[key, text] as const];
  });
  return { auth_mode: chosen.mode, ...Object.fromEntries(filled) };
}
