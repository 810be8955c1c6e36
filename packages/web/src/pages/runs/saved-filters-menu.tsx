import { Button, Popover, TextInput } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useState } from "react";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { IconButton } from "../../ui/controls/icon-button.tsx";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import type { RunFilters } from "./run-filters.ts";
import { addSavedFilter, readSavedFilters } from "./saved-filters.ts";
import styles from "./saved-filters-menu.module.css";

type Props = {
  filters: RunFilters;
  /** Whether there is something to save. */
  isLimited: boolean;
  onChoose: (filters: RunFilters) => void;
};

/** Filters under a name, which this browser keeps for the user. */
export function SavedFiltersMenu({ filters, isLimited, onChoose }: Props) {
  const { user } = useMe();
  const [kept, setKept] = useLocalStorage<unknown>({
    key: `hub.calls.saved.${user.id}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const saved = readSavedFilters(kept);
  const [isOpen, setOpen] = useState(false);
  const [isNaming, setNaming] = useState(false);
  return (
    <>
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        width={280}
        withinPortal={false}
        trapFocus
      >
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<Icon name="filter" />}
            onClick={() => setOpen(!isOpen)}
          >
            Saved filters
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={styles.list} aria-label="Saved filters">
          {saved.map(({ name, filters: chosen }) => (
            <SavedLine
              key={name}
              name={name}
              onChoose={() => {
                setOpen(false);
                onChoose(chosen);
              }}
              onRemove={() => setKept(saved.filter((one) => one.name !== name))}
            />
          ))}
          <Button
            variant="subtle"
            justify="start"
            fullWidth
            disabled={!isLimited}
            onClick={() => {
              setOpen(false);
              setNaming(true);
            }}
          >
            Save these filters…
          </Button>
          <small>Kept in this browser, for you only.</small>
        </Popover.Dropdown>
      </Popover>
      {isNaming && (
        <NameDialog
          onSave={(name) => setKept(addSavedFilter(saved, { name, filters }))}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

type LineProps = { name: string; onChoose: () => void; onRemove: () => void };

function SavedLine({ name, onChoose, onRemove }: LineProps) {
  return (
    <div className={styles.line}>
      <Button variant="subtle" justify="start" onClick={onChoose}>
        {name}
      </Button>
      <IconButton icon="trash" label={`Remove the filter ${name}`} onClick={onRemove} />
    </div>
  );
}

type NameProps = { onSave: (name: string) => void; onClose: () => void };

function NameDialog({ onSave, onClose }: NameProps) {
  const [name, setName] = useState("");
  return (
    <Dialog title="Save these filters" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSave(name);
          onClose();
        }}
      >
        <TextInput
          label="Name"
          data-autofocus
          required
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" mt="md" disabled={name.trim() === ""}>
          Save
        </Button>
      </form>
    </Dialog>
  );
}
