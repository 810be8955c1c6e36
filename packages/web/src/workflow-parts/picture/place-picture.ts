import {
  type Body,
  type Edge,
  type Item,
  listLinks,
  listOutputs,
  type Position,
} from "../../pages/canvas/graph/body.ts";
import { toItemSize } from "../../pages/canvas/graph/item-size.ts";

type Size = { width: number; height: number };

/**
 * How much of each step is shown: its icon, name and what it does; icon and name; the icon; or a box alone, where an
 * icon could not be seen.
 */
export type Detail = "full" | "names" | "icons" | "boxes";

/** An item of a picture. All lengths are pixels of the picture. */
export type PlacedItem = Size & { item: Item; isTrigger: boolean; x: number; y: number };
type PlacedLink = {
  link: Edge;
  /** Of an SVG path, with the head of the arrow. */
  path: string;
  /** Where the name of its case stands, and the space that it has. */
  middle: Position;
  gapPx: number;
};
export type Picture = Size & {
  detail: Detail;
  items: readonly PlacedItem[];
  links: readonly PlacedLink[];
};

/** Around the graph, for the marks at its items. */
const marginPx = 10;
const fullScaleMin = 0.78;
/** Names are readable down to this. */
const namesScaleMin = 0.5;
const scrolledScale = 0.55;
const iconScaleMin = 0.11;
/** A long graph is scrolled rather than drawn without names, up to so many widths of its box. */
const boxesMax = { wide: 2.2, narrow: 4 };
const narrowPx = 700;
/** Positions of a draft can be anything. */
const farthest = 200_000;

/** Places a graph in a box. Small pictures always fit, and have no names. */
export function placePicture(
  body: Body,
  positions: Readonly<Record<string, Position>>,
  box: Size,
  isSmall: boolean,
): Picture {
  const all = [
    ...body.triggers.map((item) => ({ item, isTrigger: true })),
    ...body.nodes.map((item) => ({ item, isTrigger: false })),
  ];
  const places = all.map(({ item, isTrigger }) => {
    const [x, y] = positions[item.id] ?? [0, 0];
    return { item, isTrigger, x: clamp(x), y: clamp(y), ...toItemSize(item) };
  });
  const left = Math.min(...places.map(({ x }) => x));
  const top = Math.min(...places.map(({ y }) => y));
  const graph = {
    width: Math.max(...places.map(({ x, width }) => x + width)) - left,
    height: Math.max(...places.map(({ y, height }) => y + height)) - top,
  };
  const { scale, detail } = chooseScale(graph, box, isSmall);
  const items = places.map(({ x, y, width, height, ...one }) => ({
    ...one,
    x: round((x - left) * scale + marginPx),
    y: round((y - top) * scale + marginPx),
    width: round(width * scale),
    height: round(height * scale),
  }));
  const byId = new Map(items.map((one) => [one.item.id, one]));
  return {
    width: Math.ceil(graph.width * scale) + 2 * marginPx,
    height: Math.ceil(graph.height * scale) + 2 * marginPx,
    detail,
    items,
    links: listLinks(body).flatMap((link) => placeLink(link, byId) ?? []),
  };
}

/** @internal */
export function chooseScale(
  graph: Size,
  box: Size,
  isSmall: boolean,
): { scale: number; detail: Detail } {
  const space = { width: box.width - 2 * marginPx, height: box.height - 2 * marginPx };
  const fitting = Math.max(
    0.001,
    Math.min(1, space.width / graph.width, space.height / graph.height),
  );
  if (isSmall) return { scale: fitting, detail: fitting < iconScaleMin ? "boxes" : "icons" };
  if (fitting >= fullScaleMin) return { scale: fitting, detail: "full" };
  if (fitting >= namesScaleMin) return { scale: fitting, detail: "names" };
  const boxes = box.width < narrowPx ? boxesMax.narrow : boxesMax.wide;
  const isScrolled =
    graph.width * scrolledScale <= space.width * boxes &&
    graph.height * scrolledScale <= space.height;
  if (isScrolled) return { scale: scrolledScale, detail: "names" };
  return { scale: fitting, detail: fitting < iconScaleMin ? "boxes" : "icons" };
}

function placeLink(link: Edge, byId: ReadonlyMap<string, PlacedItem>): PlacedLink | null {
  const [from, to] = [byId.get(link.from), byId.get(link.to)];
  if (from === undefined || to === undefined) return null;
  const outputs = from.isTrigger ? [] : listOutputs(from.item);
  const at = outputs.findIndex((output) => output.case === link.case);
  const share = at < 0 ? 0.5 : (at + 0.5) / outputs.length;
  const [x, y] = [from.x + from.width, round(from.y + from.height * share)];
  const [endX, endY] = [to.x, round(to.y + to.height / 2)];
  const bend = round(Math.max(Math.abs(endX - x) / 2, 8));
  const head = Math.min(5, from.height / 8);
  const arrow = `M${round(endX - head)} ${round(endY - head)}L${endX} ${endY}L${round(endX - head)} ${round(endY + head)}`;
  return {
    link,
    path: `M${x} ${y}C${round(x + bend)} ${y} ${round(endX - bend)} ${endY} ${endX} ${endY}${arrow}`,
    middle: [round((x + endX) / 2), round((y + endY) / 2)],
    gapPx: endX - x,
  };
}

const clamp = (value: number) => Math.min(farthest, Math.max(-farthest, value));
const round = (value: number) => Math.round(value * 10) / 10;
