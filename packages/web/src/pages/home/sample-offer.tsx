import { Alert, Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useChange } from "../../api/use-api.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { Card } from "../../ui/page/card.tsx";
import styles from "./home.module.css";

/** Offers a row to try, while an admin has no row besides those that the hub made itself. */
export function SampleOffer() {
  const navigate = useNavigate();
  const make = useChange("POST /manager/api/rows/sample", {
    refreshes: [
      "GET /manager/api/rows",
      "GET /manager/api/connectors",
      "GET /profile/api/setup",
      "GET /manager/api/attention",
    ],
    onDone: ({ id, connector }) =>
      void navigate({
        to: "/manager/connectors/$key/$row",
        params: { key: connector, row: id },
        search: { op: "get", params: { path: "/" } },
      }),
  });
  return (
    <Card title="Try a call">
      <div className={styles.offer}>
        <p>
          A sample row reads the health of this hub, so it needs no account elsewhere. Only admins
          see it, and you can delete it at any time.
        </p>
        <Button
          variant="light"
          leftSection={<Icon name="play" />}
          loading={make.isPending}
          onClick={() => make.run()}
        >
          Make a sample row
        </Button>
      </div>
      {make.error !== null && (
        <Alert color="red" role="alert" mt="sm">
          {make.error.message}
        </Alert>
      )}
    </Card>
  );
}
