import { describe, expect, test } from "bun:test";
import { chooseStart, fitOptions } from "./choose-start.ts";

const toChain = (count: number) => {
  const nodes = Array.from({ length: count }, (_, at) => ({ id: `n${at}`, type: "set" }));
  const edges = nodes.slice(1).map(({ id }, at) => ({ from: `n${at}`, to: id }));
  const triggers = [{ id: "start", type: "manual", entry: "n0" }];
  const positions = Object.fromEntries(
    [{ id: "start" }, ...nodes].map(({ id }, at) => [id, [at * 312, 0] as const]),
  );
  return { body: { triggers, nodes, edges, layout: {} }, positions };
};

describe("chooseStart", () => {
  const start = (count: number, selected?: string, windowPx = 1440) => {
    const { body, positions } = toChain(count);
    return chooseStart(body, positions, selected, windowPx);
  };

  test("A graph that can be read as a whole is shown as a whole", () => {
    expect(start(5)).toEqual(fitOptions);
  });

  test("A large graph opens where it begins", () => {
    const { nodes, minZoom } = start(100);
    expect(nodes?.map(({ id }) => id)).toEqual(["start", "n0", "n1", "n2", "n3", "n4"]);
    expect(minZoom).toBe(0.5);
  });

  test("A large graph opens at the selected item, such as the step that failed", () => {
    expect(start(100, "n60").nodes?.map(({ id }) => id)).toEqual(["n59", "n60", "n61"]);
  });

  test("On a phone the selected item is shown, or the first two", () => {
    expect(start(5, "n3", 390).nodes).toEqual([{ id: "n3" }]);
    expect(start(5, undefined, 390).nodes).toEqual([{ id: "start" }, { id: "n0" }]);
  });
});
