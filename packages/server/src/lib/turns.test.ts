import { describe, expect, test } from "bun:test";
import type { Place } from "./turn-lines.ts";
import { createTurns, type Limits } from "./turns.ts";

/** Takes all that may be taken, and ends each at once. */
function takeAll(turns: ReturnType<typeof createTurns<string>>): string[] {
  const taken: string[] = [];
  for (let turn = turns.takeNext(); turn !== null; turn = turns.takeNext()) {
    taken.push(turn.item);
    turns.end(turn.line);
  }
  return taken;
}

function openTurns(...items: Array<[name: string, place: Place]>) {
  const turns = createTurns<string>();
  for (const [name, place] of items) turns.add(place, name);
  return turns;
}

describe("turns", () => {
  test("An owner with many items waits no longer and no shorter than another one", () => {
    const turns = openTurns(
      ...["a1", "a2", "a3"].map((name): [string, Place] => [name, { owner: "ann" }]),
      ...["b1", "b2"].map((name): [string, Place] => [name, { owner: "bob" }]),
    );
    expect(takeAll(turns)).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  test("The owners of one area have together the turns of one owner of another area", () => {
    const many = Array.from({ length: 60 }, (_, n): [string, Place] => [
      `network ${n}`,
      { owner: `${n}`, area: "one provider" },
    ]);
    const turns = openTurns(...many, ["new", { owner: "new" }], ["new again", { owner: "new" }]);
    expect(takeAll(turns).slice(0, 4)).toEqual(["network 0", "new", "network 1", "new again"]);
  });

  test("The areas of one lane have together the turns of another lane", () => {
    const many = Array.from({ length: 60 }, (_, n): [string, Place] => [
      `${n}`,
      { owner: `${n}`, lane: "strangers" },
    ]);
    const turns = openTurns(
      ...many,
      ...["k1", "k2"].map((name): [string, Place] => [name, { owner: name, lane: "known" }]),
    );
    expect(takeAll(turns).slice(0, 4)).toEqual(["0", "k1", "1", "k2"]);
  });

  test("An owner at its limit loses its turns until one of its items has ended", () => {
    const turns = createTurns<string>({ atOnce: { owner: 1 } });
    const running = turns.begin({ owner: "ann" });
    turns.add({ owner: "ann" }, "a");
    turns.add({ owner: "bob" }, "b");
    expect(takeAll(turns)).toEqual(["b"]);
    if (running !== null) turns.end(running);
    expect(takeAll(turns)).toEqual(["a"]);
  });

  test("An item that is removed is not taken, and a second removal changes nothing", () => {
    const turns = createTurns<string>();
    const first = turns.add({ owner: "ann" }, "a1");
    turns.add({ owner: "ann" }, "a2");
    turns.remove(first);
    turns.remove(first);
    expect(turns.countWaiting()).toBe(1);
    expect(takeAll(turns)).toEqual(["a2"]);
  });

  test("An item below all limits begins, and one above a limit of its lane, area or owner does not", () => {
    for (const limit of ["total", "lane", "area", "owner"] as const) {
      const turns = createTurns<string>({ atOnce: { [limit]: 1 } });
      const place = { owner: "ann", area: "home", lane: "users" };
      expect(turns.begin(place)).not.toBeNull();
      expect(turns.begin(place)).toBeNull();
      const others = [
        { ...place, owner: "bob" },
        { owner: "bob", lane: "users" },
        { owner: "bob" },
      ];
      const begun = others.filter((other) => turns.begin(other) !== null).length;
      expect([limit, begun]).toEqual([limit, { total: 0, lane: 1, area: 2, owner: 2 }[limit]]);
    }
  });
});

/** Numbers that look random and are the same each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("Any sequence of calls keeps all limits, forgets nothing and leaves nothing that could run", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const random = createRandom(seed);
    const ownerByLane: Record<string, number> = { 0: 1 + random(3), 1: 1 + random(3) };
    const atOnce = {
      total: 1 + random(6),
      lane: 1 + random(5),
      area: 1 + random(4),
      owner: ownerByLane,
    } satisfies Limits;
    const turns = createTurns<Place>({ atOnce });
    const waiting = new Set<ReturnType<typeof turns.add>>();
    const running = new Map<object, Place>();
    const toPlace = (): Place => {
      const [owner, lane] = [random(8), random(2)];
      return { owner: `${owner}`, area: `${owner % 3}`, lane: `${lane}` };
    };
    const mayRun = (place: Place) => {
      const all = [...running.values()];
      const inLane = all.filter(({ lane }) => lane === place.lane);
      return (
        all.length < atOnce.total &&
        inLane.length < atOnce.lane &&
        inLane.filter(({ area }) => area === place.area).length < atOnce.area &&
        inLane.filter(({ owner }) => owner === place.owner).length <
          (ownerByLane[place.lane ?? ""] ?? 0)
      );
    };
    const takeAllReady = () => {
      for (let turn = turns.takeNext(); turn !== null; turn = turns.takeNext()) {
        expect(mayRun(turn.item)).toBeTrue();
        expect(waiting.delete(turn)).toBeTrue();
        running.set({ turn }, turn.item);
        lines.push(turn.line);
      }
      expect([...waiting].filter(({ item }) => mayRun(item))).toEqual([]);
    };
    const lines: Array<ReturnType<typeof turns.add>["line"]> = [];
    for (let step = 0; step < 300; step += 1) {
      const place = toPlace();
      const choice = random(4);
      if (choice === 0) {
        const [any] = [...waiting].slice(random(waiting.size + 1));
        if (any !== undefined) {
          turns.remove(any);
          waiting.delete(any);
        }
      } else if (choice === 1 && lines.length > 0) {
        const [line] = lines.splice(random(lines.length), 1);
        const ended = [...running].find(
          ([, { owner, lane }]) =>
            line !== undefined && owner === line.key && lane === line.parent?.parent?.key,
        );
        if (line === undefined || ended === undefined) throw new Error("A line runs nothing.");
        running.delete(ended[0]);
        turns.end(line);
        takeAllReady();
      } else {
        const line = turns.begin(place);
        expect(line !== null).toBe(mayRun(place));
        if (line === null) waiting.add(turns.add(place, place));
        else {
          running.set({}, place);
          lines.push(line);
        }
      }
      expect([turns.countRunning(), turns.countWaiting()]).toEqual([running.size, waiting.size]);
    }
  }
});
