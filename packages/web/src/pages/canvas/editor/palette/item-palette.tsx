import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { IconButton } from "../../../../ui/controls/icon-button.tsx";
import { type Body, findItem, isTrigger } from "../../graph/body.ts";
import type { InsertPoint } from "../../graph/commands.ts";
import { toTitle } from "../../graph/describe-item.ts";
import type { Spot } from "../../view/canvas-props.ts";
import { PaletteOperations, PaletteRows } from "./browse-operations.tsx";
import look from "./item-palette.module.css";
import type { NewItem } from "./new-item.ts";
import { PaletteAll } from "./palette-all.tsx";
import { handlePaletteKey } from "./palette-keys.ts";
import { placePalette } from "./place-palette.ts";
import { type PaletteView, usePalettePath } from "./use-palette-path.ts";

type Props = {
  body: Body;
  /** Where the chosen item is connected. */
  at: InsertPoint | null;
  /** Beside what it lies. Null for the corner of the graph. */
  spot: Spot | null;
  onAdd: (item: NewItem) => void;
  /** Closes it and goes back to the graph. */
  onClose: () => void;
  /** Closes it because something else was clicked. */
  onLeave: () => void;
};

const askAfterMs = 200;
/** As in the styles. */
const heightPxMax = 544;

/**
 * What can be added, with a search, over the graph. Arrow keys go from the search through the results, and into
 * connectors and rows and back.
 */
export function Palette({ body, at, spot, onAdd, onClose, onLeave }: Props) {
  const { place, typed, setTyped, open, up } = usePalettePath();
  const [asked] = useDebouncedValue(typed.trim(), askAfterMs);
  const palette = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const corner = useCorner(palette, spot);
  useLeave(palette, onLeave);
  const openView = (to: PaletteView) => {
    open(to);
    palette.current?.querySelector("input")?.focus();
  };
  const goUp = place.kind === "all" ? null : up;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) =>
    handlePaletteKey(event, list.current, { onClose, onUp: goUp });
  return (
    <section
      ref={palette}
      className={look.palette}
      style={corner}
      aria-label="Add"
      onKeyDown={onKeyDown}
    >
      <div className={look.head}>
        {goUp !== null && <IconButton icon="left" label="Back" onClick={goUp} />}
        <h2>{at === null ? "Add" : toHeading(body, at)}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className={look.search}>
        <TextInput
          aria-label="Search what to add"
          placeholder={toPlaceholder(place)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          leftSection={<Icon name="search" />}
          autoComplete="off"
          data-autofocus
          autoFocus
        />
      </div>
      <div className={look.scroll} ref={list}>
        {place.kind === "all" && (
          <PaletteAll typed={typed} isFree={at === null} onAdd={onAdd} onOpen={openView} />
        )}
        {place.kind === "connector" && (
          <PaletteRows key={place.key} connector={place} asked={asked} onOpen={openView} />
        )}
        {place.kind === "row" && (
          <PaletteOperations key={place.id} row={place} asked={asked} onAdd={onAdd} />
        )}
      </div>
    </section>
  );
}

/** Where it lies. It stays there while the graph below it is moved. */
function useCorner(palette: { current: HTMLElement | null }, spot: Spot | null) {
  const [corner, setCorner] = useState({ left: 8, top: 8 });
  useLayoutEffect(() => {
    const area = palette.current?.parentElement?.getBoundingClientRect();
    const width = palette.current?.getBoundingClientRect().width;
    if (area === undefined || width === undefined) return;
    // What it lists arrives later.
    const height = Math.min(heightPxMax, area.height - 16);
    setCorner(placePalette(area, { width, height }, spot?.anchor ?? null));
  }, [palette, spot]);
  return corner;
}

/** A click beside the palette closes it. */
function useLeave(palette: { current: HTMLElement | null }, onLeave: () => void) {
  const latest = useRef(onLeave);
  useLayoutEffect(() => {
    latest.current = onLeave;
  });
  useEffect(() => {
    const leave = ({ target }: PointerEvent) => {
      if (target instanceof Node && !palette.current?.contains(target)) latest.current();
    };
    // Before the graph takes the event for itself.
    document.addEventListener("pointerdown", leave, true);
    return () => document.removeEventListener("pointerdown", leave, true);
  }, [palette]);
}

function toPlaceholder(place: PaletteView): string {
  if (place.kind === "all") return "Search triggers, steps, operations";
  return place.kind === "row" ? `Search in ${place.label}` : `Search rows of ${place.name}`;
}

function toHeading(body: Body, { from, to, case: name }: InsertPoint): string {
  const item = findItem(body, from);
  const title = item === null ? from : toTitle(item, isTrigger(body, from));
  const after = name === undefined ? title : `${title}, ${name}`;
  return to === undefined ? `Add after ${after}` : `Add between ${after} and the next`;
}
