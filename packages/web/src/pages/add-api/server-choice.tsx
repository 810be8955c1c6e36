import type { DocumentServer } from "@hub/contract/row-discovery.ts";
import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Badge } from "../../ui/badges/badge.tsx";
import styles from "./add-api.module.css";

type Props = {
  servers: readonly DocumentServer[];
  chosen: readonly string[];
  error: string | null;
  onChoose: (chosen: readonly string[]) => void;
};

/** The servers of the document. Calls go only to those that the admin ticks. */
export function ServerChoice({ servers, chosen, error, onChoose }: Props) {
  const [typed, setTyped] = useState("");
  const usable = [...new Set(servers.flatMap(({ address }) => address ?? []))];
  const shared = new Set(servers.flatMap((one) => (one.shared ? (one.address ?? []) : [])));
  const own = chosen.filter((one) => one !== typed.trim());
  return (
    <fieldset className={styles.set}>
      <legend>Servers</legend>
      <p className={styles.note}>
        The document names them. Calls, with the credentials, go only to those that you tick.
      </p>
      <Stack gap={6}>
        {usable.map((address) => (
          <Checkbox
            key={address}
            label={
              <>
                <code>{address}</code>
                {!shared.has(address) && <Badge>Of some operations</Badge>}
              </>
            }
            aria-label={address}
            checked={chosen.includes(address)}
            onChange={(event) =>
              onChoose(
                event.currentTarget.checked
                  ? [...chosen, address]
                  : chosen.filter((one) => one !== address),
              )
            }
          />
        ))}
        <TextInput
          label={usable.length === 0 ? "Address of the API" : "Another address"}
          placeholder="https://api.example.com/v1"
          value={typed}
          error={error}
          onChange={(event) => {
            const next = event.currentTarget.value;
            setTyped(next);
            onChoose(next.trim() === "" ? own : [next.trim(), ...own]);
          }}
        />
      </Stack>
    </fieldset>
  );
}
