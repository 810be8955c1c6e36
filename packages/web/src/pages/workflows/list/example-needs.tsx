import type { WorkflowExample } from "@hub/contract/workflow-example.ts";
import { TextInput } from "@mantine/core";
import { RowSelect } from "../../../ui/controls/row-select.tsx";
import { useConnector } from "../../rows/row-crumbs.tsx";
import styles from "../workflows.module.css";

/** Texts by the names of what they are for. */
export type Texts = Readonly<Record<string, string>>;

type Props = {
  example: WorkflowExample;
  rows: Texts;
  onRows: (rows: Texts) => void;
  env: Texts;
  onEnv: (env: Texts) => void;
  issues: Texts;
};

/** What an example needs. All of it can be chosen later, before the workflow is published. */
export function ExampleNeeds({ example: { needs }, rows, onRows, env, onEnv, issues }: Props) {
  return (
    <>
      {needs.rows.map((need) => (
        <NeededRow
          key={need.name}
          need={need}
          error={issues.rows ?? null}
          value={rows[need.name] || null}
          onChange={(row) => onRows({ ...rows, [need.name]: row ?? "" })}
        />
      ))}
      {needs.env.map((need) => (
        <TextInput
          key={need.name}
          label={toWords(need.name)}
          description={need.description}
          error={issues.env ?? null}
          value={env[need.name] ?? ""}
          onChange={(event) => onEnv({ ...env, [need.name]: event.currentTarget.value })}
        />
      ))}
      {(needs.secrets.length > 0 || needs.workflows.length > 0) && (
        <ul className={styles.needs}>
          {needs.secrets.map((need) => (
            <li key={need.name}>
              {"Set the secret "}
              <code>{need.name}</code>
              {` afterwards. ${need.description}`}
            </li>
          ))}
          {needs.workflows.map((need) => (
            <li key={need.name}>
              {"Choose another workflow for "}
              <code>{need.name}</code>
              {`. ${need.description}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type RowProps = {
  need: WorkflowExample["needs"]["rows"][number];
  error: string | null;
  value: string | null;
  onChange: (row: string | null) => void;
};

function NeededRow({ need, ...field }: RowProps) {
  const { name } = useConnector(need.connector);
  return (
    <RowSelect
      {...field}
      label={`Row of ${name}`}
      hasLabel
      description={need.description}
      any="Choose later"
      connector={need.connector}
    />
  );
}

/** The name of a value, such as `REPO_NAME`, as a label: "Repo name". */
function toWords(name: string): string {
  const words = name.toLowerCase().replaceAll("_", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
