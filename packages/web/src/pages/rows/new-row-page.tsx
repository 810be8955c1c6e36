import { Button, Group, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { toIssues } from "../../api/to-issues.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { FieldColumns } from "../../ui/page/field-columns.tsx";
import { FormSkeleton } from "../../ui/page/form-skeleton.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { RowCrumbs } from "./row-crumbs.tsx";
import styles from "./rows.module.css";

/** Names a new row. Its settings follow on its own page, where pickers and widgets can ask the connector. */
export function NewRowPage() {
  const { key } = useParams({ from: "/manager/connectors/$key/new" });
  const type = useApi("GET /manager/api/connectors/{key}", { params: { key } });
  return (
    <Page title={`New row of ${type.data?.name ?? key}`} parent={<RowCrumbs connector={key} />}>
      <Loaded of={type} what="The connector" skeleton={<FormSkeleton fields={4} />}>
        {({ name }) => <NewRow connector={key} name={name} />}
      </Loaded>
    </Page>
  );
}

function NewRow({ connector, name }: { connector: string; name: string }) {
  const navigate = useNavigate();
  const [label, setLabel] = useState("");
  const [description, setDescription] = useState("");
  const [tags, setTags] = useState<string[]>([]);
  const add = useChange("POST /manager/api/rows", {
    refreshes: ["GET /manager/api/rows", "GET /manager/api/connectors"],
    onDone: ({ id }) =>
      void navigate({
        to: "/manager/connectors/$key/$row",
        params: { key: connector, row: id },
        replace: true,
      }),
  });
  const issues = add.error === null ? {} : toIssues(add.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.run({ body: { connector, label: label.trim(), description, tags } });
  };
  return (
    <div className={styles.column}>
      {connector === "mcp" && (
        <p className={styles.lead}>
          {"A client already has the server? "}
          <Link to="/manager/import">Import it from the client's file</Link>.
        </p>
      )}
      <Card>
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            <FieldColumns>
              <TextInput
                label="Label"
                description={`How people and clients recognize it among other rows of ${name}, such as "Production".`}
                withAsterisk
                aria-required
                data-autofocus
                autoFocus
                value={label}
                maxLength={100}
                error={issues.label ?? null}
                onChange={(event) => setLabel(event.currentTarget.value)}
              />
              <TagsInput
                label="Tags"
                description="Users with one of these tags see the row. Without tags only admins see it."
                value={tags}
                error={issues.tags ?? null}
                onChange={setTags}
              />
            </FieldColumns>
            <Textarea
              label="Description"
              description="Clients read it when they choose between rows."
              rows={2}
              value={description}
              error={issues.description ?? null}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
            {add.error !== null && Object.keys(issues).length === 0 && (
              <p className={styles.bad} role="alert">
                {add.error.message}
              </p>
            )}
            <Group>
              <Button type="submit" loading={add.isPending} disabled={label.trim() === ""}>
                Create and set up
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
    </div>
  );
}
