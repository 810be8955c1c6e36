import { icons } from "@hub/contract/icons.ts";
import type { Item } from "../../pages/canvas/graph/body.ts";
import { describeItem, toTitle } from "../../pages/canvas/graph/describe-item.ts";
import type { ItemLook, ItemState } from "../../pages/canvas/graph/flow.ts";
import { findRowId, findWantedConnector } from "../../pages/canvas/graph/item-row.ts";
import { findItemType } from "../../pages/canvas/graph/item-types.ts";
import { stateIcons, stateNames } from "../../pages/canvas/view/item-states.ts";
import { toLetters } from "../../ui/badges/logo-letters.ts";
import styles from "./picture.module.css";
import type { Detail, Picture, PlacedItem } from "./place-picture.ts";
import { estimateWidth, wrapWords } from "./wrap-words.ts";

type Props = {
  placed: PlacedItem;
  detail: Detail;
  look: ItemLook | null;
  rowNames: ReadonlyMap<string, string> | undefined;
  /** Where the step leads. Null in a picture that is one image. */
  href: string | null;
  isTabStop: boolean;
};

/** A trigger or node of a picture. */
export function PictureItem({ placed, detail, look, rowNames, href, isTabStop }: Props) {
  const { item, isTrigger, x, y, width, height } = placed;
  const state = look?.state ?? null;
  const isOff = item.disabled === true;
  const transform = `translate(${x} ${y})`;
  const marks = {
    className: styles.item,
    "data-node": item.id,
    "data-state": state ?? undefined,
    "data-disabled": isOff || undefined,
    "data-flat": detail === "boxes" || undefined,
    transform,
  };
  const radius = isTrigger ? height / 2 : Math.min(9, height / 5);
  const ground = <rect className={styles.ground} width={width} height={height} rx={radius} />;
  const title = toTitle(item, isTrigger);
  return (
    <>
      {href === null ? (
        <g {...marks}>{ground}</g>
      ) : (
        <a
          {...marks}
          href={href}
          tabIndex={isTabStop ? 0 : -1}
          aria-label={describe(item, isTrigger, look)}
        >
          <title>{title}</title>
          {ground}
        </a>
      )}
      {/* The name of the link says the same. */}
      <g
        {...unread}
        className={styles.over}
        data-disabled={isOff || undefined}
        transform={transform}
      >
        {isOff && detail !== "boxes" && (
          <path className={styles.hatch} d={toHatch(width, height)} />
        )}
        {detail !== "boxes" && <Sign placed={placed} detail={detail} rowNames={rowNames} />}
        {(detail === "full" || detail === "names") && <Texts placed={placed} detail={detail} />}
        {state !== null && (detail !== "boxes" || isNotable(state)) && (
          <StateMark state={state} x={width} size={detail === "boxes" ? 6 : 8} />
        )}
      </g>
    </>
  );
}

/** Marked also where marks at all steps would hide them. */
const isNotable = (state: ItemState) => ["failed", "waiting", "unknown"].includes(state);

const unread = { "aria-hidden": true } as const;

function describe(item: Item, isTrigger: boolean, look: ItemLook | null): string {
  const { name } = findItemType(item, isTrigger);
  const title = toTitle(item, isTrigger);
  return [
    title,
    isTrigger ? `trigger, ${name}` : name === title ? "" : name,
    item.disabled === true ? "switched off" : "",
    look?.state == null ? "" : stateNames[look.state],
    look?.note ?? "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** Lines across a step that is switched off. */
function toHatch(width: number, height: number): string {
  const lines: string[] = [];
  for (let at = 6; at < width + height; at += 7) {
    const [x, y] = [Math.min(at, width), Math.max(0, at - width)];
    lines.push(`M${x} ${y}L${Math.max(0, at - height)} ${Math.min(at, height)}`);
  }
  return lines.join("");
}

const textLeft = { full: 44, names: 27 };
const tilePx = { full: 26, names: 16 };

type SignProps = Pick<Props, "placed" | "detail" | "rowNames">;

/** The letters of the row that a step calls, or the icon of its type. */
function Sign({ placed, detail, rowNames }: SignProps) {
  const { item, isTrigger, width, height } = placed;
  const hasText = detail === "full" || detail === "names";
  const size = hasText ? tilePx[detail] : Math.min(22, height * 0.8, width * 0.8);
  const x = hasText ? (detail === "full" ? 11 : 7) : (width - size) / 2;
  const y = (height - size) / 2;
  const name = rowNames?.get(findRowId(item) ?? "") ?? findWantedConnector(item);
  const kind = isTrigger ? "trigger" : item.type;
  return (
    <g className={styles.sign} data-kind={kind} transform={`translate(${x} ${y})`}>
      {detail === "full" && (
        <rect width={size} height={size} rx={isTrigger ? size / 2 : 7} className={styles.tile} />
      )}
      {name !== null && size >= 13 ? (
        <text
          className={styles.letters}
          x={size / 2}
          y={size / 2}
          fontSize={detail === "full" ? 11 : size * 0.68}
        >
          {toLetters(name)}
        </text>
      ) : (
        <path
          className={styles.icon}
          d={icons[findItemType(item, isTrigger).icon]}
          transform={
            detail === "full"
              ? `translate(${(size - 16) / 2} ${(size - 16) / 2})`
              : `scale(${size / 16})`
          }
        />
      )}
    </g>
  );
}

const namePx = { full: 13, names: 11.5 };
const linePx = 11;

function Texts({ placed, detail }: { placed: PlacedItem; detail: "full" | "names" }) {
  const { item, isTrigger, width, height } = placed;
  const left = textLeft[detail];
  const fontPx = namePx[detail];
  // The round end of a trigger.
  const widthPx = width - left - (isTrigger ? 14 : 8);
  const rows = height >= 2 * fontPx * 1.25 ? 2 : 1;
  const names = wrapWords(toTitle(item, isTrigger), { widthPx, fontPx, linesMax: rows });
  const more =
    detail === "full" && names.length === 1 && height >= 40 && widthPx >= 80
      ? wrapWords(describeItem(item, isTrigger), { widthPx, fontPx: linePx, linesMax: 1 })
      : [];
  const lineHeight = fontPx * 1.25;
  const total = names.length * lineHeight + more.length * linePx * 1.4;
  const top = (height - total) / 2 + fontPx;
  return (
    <>
      {names.map((text, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a name do not move.
        <text key={at} className={styles.name} x={left} y={top + at * lineHeight} fontSize={fontPx}>
          {text}
        </text>
      ))}
      {more.map((text) => (
        <text key={text} className={styles.line} x={left} y={top + lineHeight} fontSize={linePx}>
          {text}
        </text>
      ))}
    </>
  );
}

type StateMarkProps = { state: ItemState; x: number; size: number };

/** The state of a step at its corner, by the same icon as on the canvas. */
function StateMark({ state, x, size }: StateMarkProps) {
  const at = Math.max(size / 2, x - size / 2);
  return (
    <g className={styles.state} data-state={state} transform={`translate(${at} 0)`}>
      <circle r={size} />
      <path
        d={icons[stateIcons[state]]}
        transform={`translate(${-size * 0.62} ${-size * 0.62}) scale(${(size * 1.24) / 16})`}
      />
    </g>
  );
}

const casePx = 10.5;

/** The names of cases on their connections, where there is space. */
export function CaseNames({ picture }: { picture: Picture }) {
  if (picture.detail !== "full" && picture.detail !== "names") return null;
  return picture.links.map(({ link, middle: [x, y], gapPx, path }) => {
    if (link.case === undefined) return null;
    const [text = ""] = wrapWords(link.case, { widthPx: 90, fontPx: casePx, linesMax: 1 });
    const width = estimateWidth(text, casePx) + 8;
    if (width > gapPx + 20) return null;
    return (
      <g {...unread} key={path} className={styles.case} transform={`translate(${x} ${y})`}>
        <rect x={-width / 2} y={-7.5} width={width} height={15} rx={5} />
        <text fontSize={casePx}>{text}</text>
      </g>
    );
  });
}
