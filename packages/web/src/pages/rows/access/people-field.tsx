import { MultiSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useApi } from "../../../api/use-api.ts";

/** Who may use a row: a person by id, or everybody with a tag. */
export type Choice = { kind: "person"; id: string; name: string } | { kind: "tag"; name: string };

type Props = {
  label: string;
  description?: string;
  value: readonly Choice[];
  onChange: (value: Choice[]) => void;
  error?: string | null;
  disabled?: boolean;
};

const debounceMs = 200;
const everyone: Choice = { kind: "tag", name: "everyone" };

/** People and tags in one field, found on the server. A tag that does not exist can be typed, too. */
export function PeopleField({ label, description, value, onChange, error, disabled }: Props) {
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed.trim().slice(0, 100), debounceMs);
  const found = useApi("GET /manager/api/search", { query: { q: asked } }, { isOn: asked !== "" });
  const people = (found.data?.users ?? []).map(toPerson);
  const tags = (found.data?.tags ?? []).map(({ name }): Choice => ({ kind: "tag", name }));
  const isNew =
    /^[a-z0-9][a-z0-9_.:-]{0,63}$/.test(typed.trim().toLowerCase()) &&
    !tags.some(({ name }) => name === typed.trim().toLowerCase());
  const offered = [
    ...people,
    ...(asked === "" ? [everyone] : tags),
    ...(isNew && asked !== "" && !found.isFetching
      ? [{ kind: "tag" as const, name: typed.trim().toLowerCase() }]
      : []),
  ];
  const known = new Map([...offered, ...value].map((choice) => [toValue(choice), choice]));
  const toOption = (choice: Choice) => ({ value: toValue(choice), label: toText(choice) });
  const chosen = new Set(value.map(toValue));
  const isOffered = new Set(offered.map(toValue));
  return (
    <MultiSelect
      label={label}
      {...(description !== undefined && { description })}
      placeholder={value.length === 0 ? "Search for people and tags" : ""}
      data={[...known.values()].map(toOption)}
      // The server has searched.
      filter={({ options }) =>
        options.filter(
          (one) => "value" in one && isOffered.has(one.value) && !chosen.has(one.value),
        )
      }
      value={value.map(toValue)}
      onChange={(next) => onChange(next.flatMap((one) => known.get(one) ?? []))}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      hidePickedOptions
      nothingFoundMessage={
        asked === ""
          ? "Type a name, an e-mail or a tag"
          : found.isPending
            ? "Searching…"
            : (found.error?.message ?? "No person and no tag matches")
      }
      maxDropdownHeight={280}
      comboboxProps={{ shadow: "md", withinPortal: false }}
      error={error}
      disabled={disabled === true}
      clearButtonProps={{ "aria-label": "Remove all" }}
    />
  );
}

/** A user as a choice, by name and e-mail. */
export function toPerson({ id, email, name }: { id: string; email: string; name: string }): Choice {
  const shown = name === "" || name === email ? email : `${name} (${email})`;
  return { kind: "person", id, name: shown };
}

function toValue(choice: Choice): string {
  return choice.kind === "person" ? `person:${choice.id}` : `tag:${choice.name}`;
}

function toText(choice: Choice): string {
  if (choice.kind === "person") return choice.name;
  return choice.name === "everyone" ? "Everyone (every user)" : `Tag ${choice.name}`;
}

/** The names of the tags, and the ids of the people. */
export function splitChoices(choices: readonly Choice[]): { tags: string[]; people: string[] } {
  return {
    tags: choices.flatMap((one) => (one.kind === "tag" ? [one.name] : [])),
    people: choices.flatMap((one) => (one.kind === "person" ? [one.id] : [])),
  };
}
