import type { IconName } from "@hub/contract/icons.ts";
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/icon.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import { matchesText } from "../../../ui/text-filters.ts";
import { type Body, findItem, isTrigger } from "../graph/body.ts";
import type { Place } from "../graph/commands.ts";
import { toTitle } from "../graph/describe-item.ts";
import {
  type ItemType,
  type NodeType,
  nodeTypes,
  type TriggerType,
  triggerTypes,
} from "../graph/item-types.ts";
import { itemData, nodeData } from "../view/drop-link.ts";
import { beginsName } from "./begins-name.ts";
import styles from "./editor.module.css";
import {
  commentType,
  type NewItem,
  newComment,
  toNewNode,
  toNewOperation,
  toNewTrigger,
} from "./new-item.ts";
import look from "./palette.module.css";

type Props = {
  body: Body;
  /** Where the chosen item is connected. */
  at: Place | null;
  onAdd: (item: NewItem) => void;
  onClose: () => void;
};

const searchAfterMs = 200;

/** What can be added, with a search. Arrow keys go from the search through the results. */
export function Palette({ body, at, onAdd, onClose }: Props) {
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed.trim(), searchAfterMs);
  const found = useApi("GET /manager/api/search", { query: { q: asked } }, { isOn: asked !== "" });
  const list = useRef<HTMLDivElement>(null);
  const query = typed.trim() === "" ? undefined : typed.trim();
  const channels = useApi("GET /manager/api/channels", {}).data?.channels ?? [];
  // Operations are found by the search. Without a channel, there is nothing to choose.
  const isHidden = (type: string) =>
    type === "operation" || (type === "channel" && channels.length === 0);
  const isShown = (type: string, { name, about }: ItemType) =>
    !isHidden(type) && matchesText(query, [type, name, about]);
  // Object.entries gives the keys of these records.
  const triggers = (Object.entries(triggerTypes) as Array<[TriggerType, ItemType]>).filter(
    ([type, one]) => at === null && isShown(type, one),
  );
  const nodes = (Object.entries(nodeTypes) as Array<[NodeType, ItemType]>).filter(([type, one]) =>
    isShown(type, one),
  );
  const isCommentShown =
    at === null && matchesText(query, ["comment note", comment.name, comment.about]);
  const operations = query === undefined ? [] : (found.data?.operations ?? []);
  // Enter takes the first entry, so a step comes before the operations if the typed text begins its name.
  const isStepMeant = query !== undefined && beginsName(query, nodes);
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
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      return onClose();
    }
    const buttons: Array<Element | null> = [...(list.current?.querySelectorAll("button") ?? [])];
    const from = buttons.indexOf(document.activeElement);
    const focus = (element: Element | null | undefined) =>
      element instanceof HTMLElement && element.focus();
    if (event.key === "Enter" && from < 0) {
      event.preventDefault();
      const [first] = buttons;
      return first instanceof HTMLElement ? first.click() : undefined;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const search = event.currentTarget.querySelector("input");
    focus(buttons[from + step] ?? (from + step < 0 ? search : null));
  };
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
          <Entry {...comment} item={newComment} onAdd={onAdd} />
        </Group>
        <Group
          title="Channels"
          isShown={
            channels.length === 0 && matchesText(query, ["channel message chat slack telegram"])
          }
        >
          <p className={look.hint}>Not configured: you see no channel of this hub.</p>
        </Group>
        <p className={look.hint} role="status">
          {query !== undefined &&
            triggers.length + nodes.length + operations.length === 0 &&
            !isCommentShown &&
            !found.isFetching &&
            "Nothing is found."}
        </p>
      </div>
    </section>
  );
}

const comment = {
  name: "Comment",
  icon: "edit" as const,
  about: "A text on the graph for those who read it.",
};

function toHeading(body: Body, { from, to, case: name }: Place): string {
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
