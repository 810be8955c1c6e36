import { expect, test } from "bun:test";
import { readBody } from "../../pages/canvas/graph/body.ts";
import { describeFlow } from "./describe-flow.ts";
import { chooseScale, placePicture } from "./place-picture.ts";
import { estimateWidth, wrapWords } from "./wrap-words.ts";

const toChain = (count: number, layout: Record<string, unknown> = {}) =>
  readBody({
    triggers: [{ id: "start", type: "manual", entry: "n0" }],
    nodes: Array.from({ length: count }, (_, at) => ({ id: `n${at}`, type: "set" })),
    edges: Array.from({ length: count - 1 }, (_, at) => ({ from: `n${at}`, to: `n${at + 1}` })),
    layout,
  });

const place = (count: number, box: { width: number; height: number }, isSmall = false) => {
  const body = toChain(count);
  if (body === null) throw new Error("The body is not read");
  const positions = Object.fromEntries(
    ["start", ...body.nodes.map(({ id }) => id)].map((id, at) => [id, [at * 300, 0] as const]),
  );
  return placePicture(body, positions, box, isSmall);
};

test("A picture fits its box, with fewer details the smaller it is", () => {
  const wide = { width: 1100, height: 260 };
  expect(place(2, wide)).toMatchObject({ detail: "full" });
  expect(place(200, wide)).toMatchObject({ detail: "boxes" });
  for (const count of [2, 30, 200, 500]) {
    const { width, height, items, links } = place(count, wide);
    expect(width).toBeLessThanOrEqual(wide.width + 2);
    expect(height).toBeLessThanOrEqual(wide.height);
    expect(items).toHaveLength(count + 1);
    expect(links).toHaveLength(count);
    expect(Math.min(...items.map(({ x }) => x))).toBeGreaterThanOrEqual(0);
  }
});

test("A graph that is a little too long keeps its names, and is scrolled", () => {
  const phone = { width: 340, height: 200 };
  const { detail, width } = place(3, phone);
  expect(detail).toBe("names");
  expect(width).toBeGreaterThan(phone.width);
  expect(place(3, phone, true).width).toBeLessThanOrEqual(phone.width + 2);
  expect(place(3, phone, true).detail).toBe("icons");
});

test("A picture is never drawn larger than the canvas, and a far position does not break it", () => {
  expect(chooseScale({ width: 10, height: 10 }, { width: 900, height: 200 }, false).scale).toBe(1);
  const body = toChain(2);
  if (body === null) throw new Error("The body is not read");
  const positions = { start: [0, 0], n0: [1e300, -1e300], n1: [5, 5] } as const;
  const { width, height } = placePicture(body, positions, { width: 500, height: 200 }, false);
  expect(width).toBeLessThan(600);
  expect(height).toBeLessThan(300);
});

test("A name is cut where it does not fit, and is never wider than its space", () => {
  const space = { widthPx: 70, fontPx: 12, linesMax: 2 };
  expect(wrapWords("Check", space)).toEqual(["Check"]);
  expect(wrapWords("Find the open issue", space)).toEqual(["Find the", "open issue"]);
  const long = wrapWords("A very long name of a step that nothing can hold", space);
  expect(long).toHaveLength(2);
  expect(long[1]).toEndWith("…");
  for (const line of [...long, ...wrapWords("W".repeat(500), space)]) {
    expect(estimateWidth(line, 12)).toBeLessThanOrEqual(70);
  }
});

test("The flow is said in words, also a long one", () => {
  const body = toChain(2);
  expect(body && describeFlow(body)).toBe("Starts with Started by hand. Then Set, Set.");
  const long = toChain(40);
  expect(long && describeFlow(long)).toEndWith("and 28 more.");
});
