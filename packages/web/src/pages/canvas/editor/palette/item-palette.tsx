import type { IconName } from "@hub/contract/icons.ts";
import { TextInput } from "@mantine/core";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { IconButton } from "../../../../ui/controls/icon-button.tsx";
import { matchesText } from "../../../../ui/tables/text-filters.ts";
import { type Body, findItem, isTrigger } from "../../graph/body.ts";
import type { InsertPoint } from "../../graph/commands.ts";
import { toTitle } from "../../graph/describe-item.ts";
import { itemData, nodeData } from "../../view/drop-link.ts";
import styles from "../editor.module.css";
import look from "./item-palette.module.css";
import {
  commentType,
  type NewItem,
  newComment,
  toNewNode,
  toNewOperation,
  toNewTrigger,
} from "./new-item.ts";
import { handlePaletteKey } from "./palette-keys.ts";
import { commentItem, usePaletteSearch } from "./use-palette-search.ts";

type Props = {
  body: Body;
  /** Where the chosen item is connected. */
  at: InsertPoint | null;
  onAdd: (item: NewItem) => void;
  onClose: () => void;
};

/** What can be added, with a search. Arrow keys go from the search through the results. */
export function Palette({ body, at, onAdd, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const search = usePaletteSearch(typed, at === null);
  const { query, triggers, nodes, operations, isCommentShown, isStepMeant, hasChannels } = search;
  const operationGroup = (
    <Group title="Operations" isShown={query === undefined || operations.length > 0}>
      {query === undefined && (
        <p className={look.hint}>Search by what it does, such as “create issue”.</p>
      )}
      {operations.map((one) => (
        <Entry
          key={`${one.row}/${one.key}`}
          name={one.name}
          about={one.label}
          icon="connectors"
          item={toNewOperation(one)}
          onAdd={onAdd}
        />
      ))}
    </Group>
  );
  const stepGroup = (
    <Group title="Logic and steps" isShown={nodes.length > 0}>
      {nodes.map(([type, one]) => (
        <Entry key={type} {...one} item={toNewNode(type)} onAdd={onAdd} />
      ))}
    </Group>
  );
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) =>
    handlePaletteKey(event, list.current, onClose);
  return (
    <section className={styles.side} aria-label="Add" onKeyDown={onKeyDown}>
      <div className={styles.sideHead}>
        <h2>{at === null ? "Add" : toHeading(body, at)}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className={look.search}>
        <TextInput
          aria-label="Search what to add"
          placeholder="Search triggers, steps, operations"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          leftSection={<Icon name="search" />}
          autoComplete="off"
          data-autofocus
          autoFocus
        />
      </div>
      <div className={styles.scroll} ref={list}>
        <Group title="Triggers" isShown={triggers.length > 0}>
          {triggers.map(([type, one]) => (
            <Entry key={type} {...one} item={toNewTrigger(type)} onAdd={onAdd} />
          ))}
        </Group>
        {isStepMeant ? (
          <>
            {stepGroup}
            {operationGroup}
          </>
        ) : (
          <>
            {operationGroup}
            {stepGroup}
          </>
        )}
        <Group title="Notes" isShown={isCommentShown}>
          <Entry {...commentItem} item={newComment} onAdd={onAdd} />
        </Group>
        <Group
          title="Channels"
          isShown={!hasChannels && matchesText(query, ["channel message chat slack telegram"])}
        >
          <p className={look.hint}>Not configured: you see no channel of this hub.</p>
        </Group>
        <p className={look.hint} role="status">
          {query !== undefined &&
            triggers.length + nodes.length + operations.length === 0 &&
            !isCommentShown &&
            !search.isFetching &&
            "Nothing is found."}
        </p>
      </div>
    </section>
  );
}

function toHeading(body: Body, { from, to, case: name }: InsertPoint): string {
  const item = findItem(body, from);
  const title = item === null ? from : toTitle(item, isTrigger(body, from));
  const after = name === undefined ? title : `${title}, ${name}`;
  return to === undefined ? `Add after ${after}` : `Add between ${after} and the next`;
}

type GroupProps = { title: string; isShown: boolean; children: ReactNode };

function Group({ title, isShown, children }: GroupProps) {
  if (!isShown) return null;
  return (
    <div className={look.group}>
      <h3>{title}</h3>
      {children}
    </div>
  );
}

type EntryProps = {
  name: string;
  about: string;
  icon: IconName;
  item: NewItem;
  onAdd: (item: NewItem) => void;
};

function Entry({ name, about, icon, item, onAdd }: EntryProps) {
  return (
    <button
      type="button"
      className={look.entry}
      draggable
      onDragStart={(event) => {
        const isNode = !item.isTrigger && item.type !== commentType;
        event.dataTransfer.setData(itemData, JSON.stringify(item));
        if (isNode) event.dataTransfer.setData(nodeData, "");
        event.dataTransfer.effectAllowed = "copy";
      }}
      onClick={() => onAdd(item)}
    >
      <span className={look.icon} data-trigger={item.isTrigger || undefined}>
        <Icon name={icon} />
      </span>
      <span className={look.texts}>
        <span className={look.name}>{name}</span>
        <span className={look.about}>{about}</span>
      </span>
    </button>
  );
}
