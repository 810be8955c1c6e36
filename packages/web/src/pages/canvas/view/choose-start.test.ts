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
  const start = (count: number, selected?: string, width = 1440) => {
    const { body, positions } = toChain(count);
    return chooseStart(body, positions, selected, { width, height: 900 });
  };

  test("A graph that can be read as a whole is shown as a whole", () => {
    expect(start(5)).toEqual(fitOptions);
  });

  test("A large graph opens where it begins", () => {
    const { nodes, minZoom } = start(100);
    expect(nodes?.map(({ id }) => id)).toEqual(["start", "n0", "n1", "n2", "n3", "n4", "n5"]);
    expect(minZoom).toBe(0.5);
  });

  test("A large graph opens at the selected item, such as the step that failed", () => {
    expect(start(100, "n60").nodes?.map(({ id }) => id)).toEqual([
      "n58",
      "n59",
      "n60",
      "n61",
      "n62",
    ]);
  });

  test("A high graph opens where it begins", () => {
    const { body } = toChain(60);
    const ids = ["start", ...body.nodes.map(({ id }) => id)];
    const positions = Object.fromEntries(
      ids.map((id, at) => [id, [(at % 4) * 220, Math.floor(at / 4) * 104] as const]),
    );
    const { nodes } = chooseStart(body, positions, undefined, { width: 1440, height: 900 });
    expect(nodes).toHaveLength(6 * 4);
    expect(nodes?.[0]).toEqual({ id: "start" });
  });

  test("On a phone the selected item is shown, or the first two", () => {
    expect(start(5, "n3", 390).nodes).toEqual([{ id: "n3" }]);
    expect(start(5, undefined, 390).nodes).toEqual([{ id: "start" }, { id: "n0" }]);
  });
});
