import { Modal } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { isServerPage } from "../api/is-server-page.ts";
import { useMe } from "../api/use-me.ts";
import { ConnectorLogo } from "../ui/badges/connector-logo.tsx";
import { Icon } from "../ui/controls/icon.tsx";
import { matchesText } from "../ui/tables/text-filters.ts";
import styles from "./command-palette.module.css";
import {
  type Entry,
  findRun,
  listFound,
  listPages,
  useActions,
  useFound,
} from "./command-palette-entries.ts";

/** Ctrl+K: goes to a page or to what a search of the hub finds, or does something. */
export function Palette({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const router = useRouter();
  const actions = useActions(me);
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const text = typed.trim();
  const search = useFound(text);
  const entries = [
    ...(search.found?.workflow_runs.length ? [] : findRun(text)),
    ...listPages(me).filter(({ name }) => matchesText(text, [name])),
    ...actions.filter(({ name }) => text !== "" && matchesText(text, [name, "action"])),
    ...listFound(search, text, me),
  ];
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
  }, [at]);

  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    if (entry.run !== undefined) entry.run();
    else if (isServerPage(entry.path)) window.location.assign(entry.path);
    else router.history.push(entry.path);
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
      attributes={{ content: { "aria-label": "Search" } }}
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
          placeholder="Find anything, or paste an id"
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
            <span className={styles.picture}>
              {entry.logo === undefined ? (
                <Icon name={entry.icon} />
              ) : (
                <ConnectorLogo {...entry.logo} size="small" />
              )}
            </span>
            <span className={styles.name}>{entry.name}</span>
            <span className={styles.note}>{entry.note}</span>
          </div>
        ))}
        {entries.length === 0 && !search.isSearching && search.failure === null && (
          <p className={styles.none}>Nothing has this name.</p>
        )}
        {search.isSearching && <p className={styles.none}>Searching…</p>}
        {search.failure !== null && <p className={styles.none}>{search.failure.message}</p>}
      </div>
    </Modal>
  );
}
