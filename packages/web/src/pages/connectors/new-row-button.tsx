import { Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Icon } from "../../ui/controls/icon.tsx";

type Props = { of: string } & Pick<ButtonProps, "size" | "variant" | "className">;

/** Opens the form of a new row of a connector. */
export function NewRowButton({ of: key, ...look }: Props) {
  return (
    <Button
      {...look}
      leftSection={<Icon name="plus" />}
      renderRoot={(props) => <Link {...props} to="/manager/connectors/$key/new" params={{ key }} />}
    >
      New row
    </Button>
  );
}
