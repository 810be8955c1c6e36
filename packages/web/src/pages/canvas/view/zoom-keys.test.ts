import { expect, test } from "bun:test";
import { zoomByKey } from "./zoom-keys.ts";

const plain = { ctrlKey: false, metaKey: false, altKey: false };

test("Plus and minus zoom the graph, 0 draws it at 100 % and 1 all of it; other keys are left alone", () => {
  const calls: unknown[] = [];
  const record = (name: string) => async (by?: unknown) => {
    calls.push(name === "zoomTo" ? [name, by] : name);
    return true;
  };
  const flow = {
    zoomIn: record("zoomIn"),
    zoomOut: record("zoomOut"),
    zoomTo: record("zoomTo"),
    fitView: record("fitView"),
  };
  const taken = ["+", "=", "-", "0", "1", "2", "toString"].map((key) =>
    zoomByKey({ ...plain, key }, flow),
  );
  expect(taken).toEqual([true, true, true, true, true, false, false]);
  expect(calls).toEqual(["zoomIn", "zoomIn", "zoomOut", ["zoomTo", 1], "fitView"]);
  // These are the browser's zoom of the whole page.
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
    expect(zoomByKey({ ...plain, ...held, key: "+" }, flow)).toBe(false);
});
