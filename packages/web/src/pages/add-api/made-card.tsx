import type { MadeConnection } from "@hub/contract/connection-plan.ts";
import { Alert, Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { formatCount } from "../../ui/text/format.ts";
import { TestForm } from "../rows/test-panel/test-form.tsx";
import styles from "./add-api.module.css";

type Props = { made: MadeConnection; onAgain: () => void };

/** The connection that was made, what is still to do, and a test call. */
export function MadeCard({ made, onAgain }: Props) {
  const { id, connector, label, logo, state, note, approved, waiting } = made;
  const { try_operation: operation } = made;
  return (
    <>
      <Card
        title={state === "needs_setup" ? `${label} needs setup` : `${label} is connected`}
        icon={<ConnectorLogo connectorKey={connector} name={label} logo={logo} />}
      >
        <p role="status">
          {`${formatCount(approved, "operation")} approved, ${waiting === 0 ? "none waits" : `${formatCount(waiting, "operation")} left for a review`}.`}
        </p>
        {note !== null && (
          <Alert color={state === "ready" ? "blue" : "yellow"} mb="sm">
            {note}
          </Alert>
        )}
        <Group>
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/manager/connectors/$key/$row"
                params={{ key: connector, row: id }}
              />
            )}
          >
            Open the connection
          </Button>
          <Button variant="subtle" onClick={onAgain}>
            Connect another one
          </Button>
        </Group>
      </Card>
      {operation !== null && <FirstCall row={id} operation={operation} />}
    </>
  );
}

function FirstCall({ row, operation }: { row: string; operation: string }) {
  const shown = useApi("GET /manager/api/rows/{row}", {
    params: { row },
    query: { operations: "none" },
  });
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", {
    params: { row, operation },
  });
  return (
    <Card title="Test call">
      <Loaded of={form} what="The operation" skeleton={<PageSkeleton lines={3} />}>
        {(found) => (
          <>
            <p className={styles.note}>
              <bdi>{found.name}</bdi> <code>{found.key}</code>
            </p>
            {shown.data !== undefined && (
              <TestForm row={shown.data} form={found} given={{}} retryOf={undefined} />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
