import type { ReactNode } from "react";
import { itemData, nodeData } from "../../view/drop-link.ts";
import look from "./item-palette.module.css";
import { commentType, type NewItem } from "./new-item.ts";

type GroupProps = { title: string; isShown?: boolean; isTiled?: boolean; children: ReactNode };

export function PaletteGroup({ title, isShown = true, isTiled = false, children }: GroupProps) {
  if (!isShown) return null;
  return (
    <div className={look.group}>
      <h3>{title}</h3>
      <div className={isTiled ? look.tiles : undefined}>{children}</div>
    </div>
  );
}

type EntryProps = {
  name: string;
  about: string;
  icon: ReactNode;
  item: NewItem;
  onAdd: (item: NewItem) => void;
  /** At the end: what the item changes. */
  mark?: ReactNode;
};

/** Something to add, by a click or by a drag onto the graph. */
export function PaletteEntry({ name, about, icon, item, onAdd, mark }: EntryProps) {
  return (
    <button
      type="button"
      className={look.entry}
      title={`${name}\n${about}`}
      draggable
      onDragStart={(event) => {
        const isNode = !item.isTrigger && item.type !== commentType;
        event.dataTransfer.setData(itemData, JSON.stringify(item));
        if (isNode) event.dataTransfer.setData(nodeData, "");
        event.dataTransfer.effectAllowed = "copy";
      }}
      onClick={() => onAdd(item)}
    >
      {icon}
      <Texts name={name} about={about} />
      {mark}
    </button>
  );
}

type PlaceProps = { name: string; about: string; icon: ReactNode; onOpen: () => void };

/** A connector or a row, which opens the list of what it has. */
export function PaletteLink({ name, about, icon, onOpen }: PlaceProps) {
  return (
    <button type="button" className={look.entry} data-opens title={name} onClick={onOpen}>
      {icon}
      <Texts name={name} about={about} />
    </button>
  );
}

function Texts({ name, about }: { name: string; about: string }) {
  return (
    <span className={look.texts}>
      <span className={look.name}>{name}</span>
      <span className={look.about}>{about}</span>
    </span>
  );
}
