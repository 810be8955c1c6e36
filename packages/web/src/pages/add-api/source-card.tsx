import { Alert, Button, FileButton, Group, Stack, Textarea } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "../../ui/controls/icon.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { useFileDrop } from "../connectors/plugins/use-file-drop.ts";
import styles from "./add-api.module.css";
import { isClientFile, type Read, toSource } from "./read-source.ts";
import { usePlanReading } from "./use-plan-reading.ts";

type Props = { isRead: boolean; onRead: (read: Read) => void; onForget: () => void };

/** The address or the document, pasted, chosen or dropped. */
export function SourceCard({ isRead, onRead, onForget }: Props) {
  const [typed, setTyped] = useState("");
  const { plan, refusal, read, readFile } = usePlanReading({ onRead, onForget });
  const isForImport = isClientFile(toSource(typed));
  const isOver = useFileDrop(true, ([file]) => void readFile(file));
  return (
    <Card title="What to connect">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== "") read(toSource(typed));
        }}
      >
        <Stack gap="sm">
          <Textarea
            label="Address or document"
            description="The address of an OpenAPI document or of an MCP server, or the text of a document as JSON or YAML. Or drop a file on this page."
            placeholder="https://api.example.com/openapi.json"
            classNames={{ input: (isOver ? styles.over : styles.code) ?? "" }}
            autosize
            minRows={isRead ? 1 : 2}
            maxRows={8}
            spellCheck={false}
            autoComplete="off"
            autoFocus
            value={typed}
            error={refusal}
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || typed.includes("\n")) return;
              event.preventDefault();
              if (typed.trim() !== "") read(toSource(typed));
            }}
          />
          {isForImport && (
            <Alert color="blue">
              {"This is the file of an MCP client. "}
              <Link to="/manager/import">Import its servers</Link>.
            </Alert>
          )}
          <Failure of={plan.error} />
          <Group>
            <Button
              type="submit"
              variant={isRead ? "default" : "filled"}
              loading={plan.isPending}
              disabled={typed.trim() === ""}
            >
              {isRead ? "Read again" : "Read"}
            </Button>
            <FileButton
              accept=".json,.yaml,.yml,application/json,application/yaml"
              onChange={(file) => void readFile(file)}
            >
              {(props) => (
                <Button {...props} variant="default" leftSection={<Icon name="file" />}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            {plan.isPending && (
              <span role="status" className={styles.note}>
                The hub reads it. A large document takes some seconds.
              </span>
            )}
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
