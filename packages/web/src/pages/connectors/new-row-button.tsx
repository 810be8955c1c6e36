import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Icon } from "../../ui/controls/icon.tsx";

/** Opens the form of a new row of a connector. */
export function NewRowButton({ of: key }: { of: string }) {
  return (
    <Button
      leftSection={<Icon name="plus" />}
      renderRoot={(props) => <Link {...props} to="/manager/connectors/$key/new" params={{ key }} />}
    >
      New row
    </Button>
  );
}
