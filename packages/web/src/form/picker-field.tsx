import { Combobox, Pill, PillsInput, useCombobox } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { asApiError } from "../api/api-error.ts";
import { createLookup } from "./autosave.ts";
import type { LookupItem, WidgetProps } from "./form-host.ts";
import { toHelp } from "./input-props.tsx";
import { parseTable, writeTable } from "./table-value.ts";

const columns = ["id", "name"];

/** A typeahead with chips. Only what the connector offers can be chosen. It saves with every choice. */
export function PickerField({ field, id, label, text, error, host, onChange }: WidgetProps) {
  const [query, setQuery] = useState("");
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const { found, failure, change, again, clear } = useOffers({ field, host });
  const chosen = parseTable(text, columns);
  const set = (items: Array<Record<string, string>>) => {
    const value = writeTable(items, columns);
    onChange(value);
    host.save?.(field, value);
  };
  const pick = (picked: string) => {
    const item = found?.find((one) => one.id === picked);
    if (item === undefined || chosen.some((one) => one.id === picked)) return;
    set([...chosen, { ...item }]);
    setQuery("");
    clear();
  };
  const ask = (typed: string) => {
    setQuery(typed);
    change(typed);
    combobox.openDropdown();
  };
  const offered = found?.filter((item) => !chosen.some((one) => one.id === item.id)) ?? [];
  return (
    <Combobox store={combobox} onOptionSubmit={pick}>
      <Combobox.DropdownTarget>
        <PillsInput
          label={label}
          id={id}
          description={toHelp(field.description, field.locked)}
          error={error ?? failure}
          withAsterisk={field.required}
          disabled={field.locked}
        >
          <Pill.Group>
            {chosen.map((item, at) => (
              <Pill
                // biome-ignore lint/suspicious/noArrayIndexKey: stored items may repeat an id.
                key={`${item.id} ${at}`}
                withRemoveButton={!field.locked}
                removeButtonProps={{
                  "aria-label": `Remove ${item.name || item.id}`,
                  tabIndex: 0,
                  "aria-hidden": false,
                }}
                onRemove={() => set(chosen.toSpliced(at, 1))}
              >
                {item.name || item.id}
              </Pill>
            ))}
            <Combobox.EventsTarget>
              <PillsInput.Field
                value={query}
                disabled={field.locked}
                placeholder={chosen.length === 0 ? "Type to search" : ""}
                aria-required={field.required}
                onChange={(event) => ask(event.currentTarget.value)}
                onFocus={() => {
                  if (found === null || failure !== null) again(query);
                  combobox.openDropdown();
                }}
                onBlur={() => {
                  combobox.closeDropdown();
                  setQuery("");
                }}
                onKeyDown={(event) => {
                  if (event.key !== "Backspace" || query !== "" || chosen.length === 0) return;
                  event.preventDefault();
                  set(chosen.slice(0, -1));
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Offered label={label} failure={failure} items={found === null ? null : offered} />
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** What the connector offers for a typed text. */
function useOffers({ field, host }: Pick<WidgetProps, "field" | "host">) {
  const [found, setFound] = useState<LookupItem[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const latest = useRef({ host, source: field.source ?? "" });
  useEffect(() => {
    latest.current = { host, source: field.source ?? "" };
  });
  const [lookup] = useState(() =>
    createLookup<LookupItem[]>({
      ask: (typed) =>
        latest.current.host.lookUp?.(latest.current.source, typed) ?? Promise.resolve([]),
      onAnswer(items) {
        setFailure(null);
        setFound(items);
      },
      onFailure: (thrown) => setFailure(asApiError(thrown).message),
    }),
  );
  useEffect(() => () => lookup.stop(), [lookup]);
  return {
    found,
    failure,
    /** Asks for what was typed now. */
    change(typed: string) {
      setFailure(null);
      lookup.change(typed);
    },
    /** Asks once more. A failure is shown until the answer. */
    again: (typed: string) => lookup.change(typed),
    clear() {
      setFound(null);
      lookup.change("");
    },
  };
}

type OfferedProps = { label: string; failure: string | null; items: LookupItem[] | null };

function Offered({ label, failure, items }: OfferedProps) {
  return (
    <Combobox.Options aria-label={label}>
      {failure !== null ? (
        <Combobox.Empty>The search failed. Type again to retry.</Combobox.Empty>
      ) : items === null ? (
        <Combobox.Empty>Searching…</Combobox.Empty>
      ) : items.length === 0 ? (
        <Combobox.Empty>Nothing found</Combobox.Empty>
      ) : (
        items.map((item) => (
          <Combobox.Option key={item.id} value={item.id}>
            {item.name}
          </Combobox.Option>
        ))
      )}
    </Combobox.Options>
  );
}
