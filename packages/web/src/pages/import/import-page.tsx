import type { ImportPlan, ImportReport } from "@hub/contract/server-import.ts";
import { Button, FileButton, Group, Stack, Textarea } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { UnsavedQuestion } from "../../ui/dialogs/unsaved-question.tsx";
import { Card } from "../../ui/page/card.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { useFileDrop } from "../connectors/plugins/use-file-drop.ts";
import { RowCrumbs } from "../rows/row-crumbs.tsx";
import { DiscoveryList } from "./discovery-list.tsx";
import styles from "./import.module.css";
import { ImportReview } from "./import-review.tsx";
import { type ClientFile, findTextFault, readClientFile } from "./read-client-file.ts";
import { ReportCard } from "./report-card.tsx";
import { ServerList, typedName } from "./server-list.tsx";
import { useRowDiscoveries } from "./use-row-discoveries.ts";

/** Makes rows of the MCP servers in the file of a client. */
export function ImportPage() {
  const { isAdmin } = useMe();
  return (
    <Page
      title="Import MCP servers"
      parent={<RowCrumbs connector="mcp" />}
      lead="The servers that a client already has become rows of this hub. Nothing is made before you have seen each of them."
    >
      {isAdmin ? (
        <Import />
      ) : (
        <EmptyState icon="lock" title="Only admins import servers">
          An import makes rows, and rows can start programs on the hub's machine. Ask an admin.
        </EmptyState>
      )}
    </Page>
  );
}

/** A file, and what an import of it would make. */
type Shown = { given: ClientFile; plan: ImportPlan };

function Import() {
  const [fault, setFault] = useState<string | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  // Of all imports of this visit, so that none loses its review.
  const { discoveries, add, retry } = useRowDiscoveries();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const asked = useRef<ClientFile | null>(null);
  const plan = useChange("POST /manager/api/imports/plan", {
    refreshes: [],
    onDone: (answer, { body: given }) => {
      // Another file may have been dropped meanwhile.
      if (given !== asked.current) return;
      setShown({ given: asked.current, plan: answer });
      // What has become a row, or cannot become one, is not chosen any more.
      const free = new Set(answer.servers.filter(isFree).map(({ index }) => index));
      setChosen((before) => new Set([...before].filter((index) => free.has(index))));
    },
  });
  const read = (given: ClientFile) => {
    asked.current = given;
    plan.run({ body: given });
  };
  const makeRows = useChange("POST /manager/api/imports", {
    refreshes: ["GET /manager/api/rows", "GET /manager/api/connectors"],
    onDone: (answer) => {
      setReport(answer);
      add(answer.added);
      if (shown !== null) read(shown.given);
    },
    // The answer may be lost after rows were made: the list then says which.
    onFailed: () => shown !== null && read(shown.given),
  });
  useFileDrop(true, ([file]) => {
    if (file !== undefined) void readClientFile(file).then(start);
  });
  const start = (given: GivenFile) => {
    makeRows.reset();
    plan.reset();
    setReport(null);
    setShown(null);
    setChosen(new Set());
    setFault("fault" in given ? given.fault : null);
    if (!("fault" in given)) read(given);
  };
  return (
    <>
      <FileCard plan={plan} fault={fault} isRead={shown !== null} start={start} />
      {report !== null && <ReportCard report={report} />}
      {discoveries.length > 0 && (
        <>
          <DiscoveryList discoveries={discoveries} onRetry={retry} />
          <ImportReview discoveries={discoveries} />
        </>
      )}
      {shown !== null && (
        <ServerList
          file={shown.given.file}
          plan={shown.plan}
          chosen={chosen}
          onChoose={setChosen}
          isBusy={makeRows.isPending || plan.isPending}
          failure={makeRows.error}
          onMake={(servers, access) => {
            setReport(null);
            makeRows.run({ body: { ...shown.given, servers, ...access } });
          }}
        />
      )}
      <p className={styles.note}>
        {"A server that the file does not have: "}
        <Link to="/manager/connectors/$key/new" params={{ key: "mcp" }}>
          make its row by hand
        </Link>
        .
      </p>
      <UnsavedQuestion isDirty={chosen.size > 0}>
        The chosen servers are not imported yet, and the text of the file will be lost.
      </UnsavedQuestion>
    </>
  );
}

type GivenFile = ClientFile | { fault: string };
type FileProps = {
  plan: { error: ApiError | null; isPending: boolean };
  /** What is wrong with the file. */
  fault: string | null;
  /** Its servers are shown below, where the page goes on. */
  isRead: boolean;
  start: (given: GivenFile) => void;
};

/** The text of a client's file, typed or chosen. */
function FileCard({ plan, fault, isRead, start }: FileProps) {
  const [typed, setTyped] = useState("");
  const showTyped = () => {
    const found = findTextFault(typed);
    start(found === null ? { file: typedName, text: typed } : { fault: found });
  };
  return (
    <Card title="The client's file">
      <Stack gap="sm">
        <Textarea
          label="Text of the file"
          description="Of Claude Desktop, Claude Code, Cursor, VS Code, Codex, Gemini CLI, opencode or Zed. Comments may stay."
          inputWrapperOrder={["label", "description", "input", "error"]}
          placeholder={'{ "mcpServers": { … } }'}
          classNames={{ input: styles.code ?? "" }}
          rows={8}
          spellCheck={false}
          autoComplete="off"
          value={typed}
          error={fault}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Failure of={plan.error} />
        <Group>
          <Button
            variant={isRead ? "default" : "filled"}
            onClick={showTyped}
            loading={plan.isPending}
            disabled={typed.trim() === ""}
          >
            Show its servers
          </Button>
          <FileButton
            accept=".json,.jsonc,.toml,application/json"
            onChange={(file) => {
              if (file !== null) void readClientFile(file).then(start);
            }}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={<Icon name="file" />}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </Group>
      </Stack>
    </Card>
  );
}

function isFree({ problem }: ImportPlan["servers"][number]): boolean {
  return problem === null;
}
