import { useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, type MouseEvent, useMemo, useRef, useState } from "react";
import type { Body, Edge, Position } from "../../pages/canvas/graph/body.ts";
import type { ItemLook, LinkLook } from "../../pages/canvas/graph/flow.ts";
import { type Direction, findNeighbour, sortItems } from "../../pages/canvas/graph/walk-graph.ts";
import { describeFlow } from "./describe-flow.ts";
import styles from "./picture.module.css";
import { CaseNames, PictureItem } from "./picture-item.tsx";
import { placePicture } from "./place-picture.ts";

/** What a picture shows besides the graph. */
export type PictureLooks = {
  toLook: (id: string) => ItemLook;
  toLinkLook: (link: Edge) => LinkLook;
};

type Props = {
  body: Body;
  positions: Readonly<Record<string, Position>>;
  box: { width: number; height: number };
  label: string;
  workflow?: string;
  looks?: PictureLooks;
  rowNames?: ReadonlyMap<string, string>;
  isSmall?: boolean;
};

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** The picture in its box. Tab reaches one step, and the arrow keys go to the others. */
export function DrawnGraph(props: Props) {
  const { body, positions, box, label, workflow, looks, rowNames, isSmall = false } = props;
  const router = useRouter();
  const svg = useRef<SVGSVGElement>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const picture = useMemo(
    () => placePicture(body, positions, box, isSmall),
    [body, positions, box, isSmall],
  );
  const words = useMemo(() => describeFlow(body), [body]);
  const first = useMemo(() => sortItems(body)[0], [body]);
  const stop = picture.items.some(({ item }) => item.id === chosen) ? chosen : first;
  const toHref = (node: string) =>
    `/workflows/${encodeURIComponent(workflow ?? "")}/edit${router.options.stringifySearch?.({ node }) ?? ""}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    const at = target instanceof Element ? target.closest("a")?.getAttribute("data-node") : null;
    const direction = directions[key];
    if (at == null || direction === undefined) return;
    event.preventDefault();
    const next = findNeighbour(body, at, direction, positions);
    if (next === null) return;
    setChosen(next);
    svg.current?.querySelector<SVGAElement>(`[data-node="${CSS.escape(next)}"]`)?.focus();
  };
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (!isPlain || event.altKey || href == null) return;
    event.preventDefault();
    router.history.push(href);
  };
  const { links } = picture;
  const isThin = picture.detail === "boxes" || undefined;
  const taken = links.filter(({ link }) => looks?.toLinkLook(link).isTaken === true);
  const others = links.filter((link) => !taken.includes(link));
  const toPath = (some: typeof links) => some.map(({ path }) => path).join("");
  const content = (
    <>
      <path className={styles.link} data-thin={isThin} d={toPath(others)} />
      {taken.length > 0 && (
        <path className={styles.link} data-thin={isThin} data-taken d={toPath(taken)} />
      )}
      {picture.items.map((placed) => (
        <PictureItem
          key={placed.item.id}
          placed={placed}
          detail={picture.detail}
          look={looks?.toLook(placed.item.id) ?? null}
          rowNames={rowNames}
          href={workflow === undefined ? null : toHref(placed.item.id)}
          isTabStop={placed.item.id === stop}
        />
      ))}
      <CaseNames picture={picture} />
    </>
  );
  const size = { width: picture.width, height: picture.height };
  if (workflow === undefined) {
    return (
      <svg {...size} className={styles.picture} role="img" aria-label={`${label}. ${words}`}>
        {content}
      </svg>
    );
  }
  return (
    <svg
      {...size}
      ref={svg}
      className={styles.picture}
      role="group"
      aria-label={label}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {content}
    </svg>
  );
}
