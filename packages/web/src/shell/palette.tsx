import type { IconName } from "@hub/contract/icons.ts";
import { listNavigation } from "@hub/contract/navigation.ts";
import { Modal } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useAll, useApi } from "../api/use-api.ts";
import { type Me, useMe } from "../api/use-me.ts";
import { Icon } from "../ui/icon.tsx";
import { matchesText } from "../ui/text-filters.ts";
import styles from "./palette.module.css";

type Entry = { key: string; name: string; note: string; icon: IconName; path: string };

const shownMax = 12;
const runId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Ctrl+K: goes to a page, to a run by its id, and for admins to a user or a tag. */
export function Palette({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const navigate = useNavigate();
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const people = usePeople(me, typed.trim());
  const entries = [...findEntries(me, typed.trim()), ...people].slice(0, shownMax);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    const isServerPage = /^\/(profile|tools)/.test(entry.path);
    if (isServerPage) window.location.assign(entry.path);
    else void navigate({ to: entry.path });
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(entries[at]);
    else if (step !== undefined && entries.length > 0)
      setAt((at + step + entries.length) % entries.length);
    else return;
    event.preventDefault();
  };

  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      centered={false}
      yOffset="12vh"
      size="lg"
      aria-label="Search"
    >
      <div className={styles.field}>
        <Icon name="search" />
        <input
          className={styles.input}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={press}
          placeholder={
            me.isAdmin
              ? "Go to a page, a user, a tag, or the id of a run"
              : "Go to a page, or paste the id of a run"
          }
          role="combobox"
          aria-label="Search"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={entries.length > 0 ? `${listId}-${at}` : undefined}
          autoComplete="off"
          data-autofocus
        />
      </div>
      <div className={styles.list} id={listId} role="listbox" aria-label="Results" ref={list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys.
          <div
            key={entry.key}
            id={`${listId}-${index}`}
            data-at={index}
            className={styles.entry}
            role="option"
            aria-selected={index === at}
            onPointerMove={() => setAt(index)}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <span className={styles.name}>{entry.name}</span>
            <span className={styles.note}>{entry.note}</span>
          </div>
        ))}
        {entries.length === 0 && <p className={styles.none}>Nothing has this name.</p>}
      </div>
    </Modal>
  );
}

function findEntries(me: Me, typed: string): Entry[] {
  if (runId.test(typed)) {
    const path = `/manager/runs/${typed.toLowerCase()}`;
    return [{ key: path, name: typed, note: "Run", icon: "runs", path }];
  }
  const words = typed.toLowerCase().split(/\s+/);
  return listNavigation(me)
    .flatMap(({ title, items }) =>
      items.map(({ path, name, icon }) => ({ key: path, name, note: title ?? "", icon, path })),
    )
    .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

const searchedMin = 2;

/** Users and tags. Only admins may read them, and they are read when something is typed. */
function usePeople(me: Me, typed: string): Entry[] {
  const isOn = me.isAdmin && typed.length >= searchedMin && !runId.test(typed);
  const users = useAll("GET /admin/api/users", {}, { isOn });
  const tags = useApi("GET /admin/api/tags", {}, { isOn });
  if (!isOn) return [];
  const foundUsers = (users.data ?? [])
    .flatMap((page) => page.users)
    .filter(({ email, name }) => matchesText(typed, [email, name]))
    .slice(0, shownMax)
    .map(({ id, email, name }): Entry => {
      const path = `/admin/users/${id}`;
      return { key: path, name: email, note: name || "User", icon: "user", path };
    });
  const foundTags = (tags.data?.tags ?? [])
    .filter(({ name }) => matchesText(typed, [name]))
    .slice(0, shownMax)
    .map(({ name }): Entry => {
      const path = `/admin/tags/${name}`;
      return { key: path, name, note: "Tag", icon: "tag", path };
    });
  return [...foundUsers, ...foundTags];
}
