import {
  appendLink,
  appendTo,
  createLinkedList,
  type Link,
  type LinkedList,
  removeFrom,
} from "./linked-list.ts";

/** On whose behalf something runs or waits. */
export type QueueKey = {
  /** Such as a user, or a network. */
  owner: string;
  /** A group of owners that one sender may control, such as the networks of a provider. By default the owner. */
  area?: string;
  /** One of a few names, such as `strangers`. Owners of the same name in two lanes are two owners. */
  lane?: string;
};

/** All together, or a lane, an area or an owner, with what of it runs and waits. */
export type Line<Item> = {
  readonly key: string;
  readonly parent: Line<Item> | null;
  readonly level: number;
  /** Where this line is found by its key, until nothing of it runs or waits. Null if it is kept. */
  readonly home: Map<string, Line<Item>> | null;
  running: number;
  waiting: number;
  /** Null until something waits. */
  queue: Queue<Item> | null;
};

type Queue<Item> = {
  /** What waits, in its order. Only an owner has entries. */
  entries: LinkedList<LaneEntry<Item>>;
  /** The lines below of which one can be taken, in the order in which they are served. */
  ready: LinkedList<Line<Item>>;
  /** The lines below by how many of them wait, so that the one with the most is found at once. */
  byWaiting: Array<LinkedList<Line<Item>>>;
  /** An empty list for `byWaiting`, which often grows and shrinks by one. */
  spare: LinkedList<Line<Item>> | null;
  /** The links of this line in the lists of the line above. */
  readyLink: Link<Line<Item>> | null;
  waitingLink: Link<Line<Item>> | null;
};

/** Something that waits or runs. */
export type LaneEntry<Item> = {
  readonly item: Item;
  readonly line: Line<Item>;
  /** Null after it was taken or removed. */
  link: Link<LaneEntry<Item>> | null;
};

type Lane<Item> = {
  line: Line<Item>;
  areas: Map<string, Line<Item>>;
  owners: Map<string, Line<Item>>;
};

export const limitNames = ["total", "lane", "area", "owner"] as const;
const ownerLevel = limitNames.length - 1;

/** The lines of all lanes, areas and owners with something that runs or waits. */
export function createLines<Item>() {
  const root = createLine<Item>("", null, null);
  /** The program names the lanes, so they are few and are kept. */
  const lanes = new Map<string, Lane<Item>>();

  function openLane(key: string): Lane<Item> {
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const line = createLine(key, root, null);
    const made = { line, areas: new Map(), owners: new Map() };
    lanes.set(key, made);
    return made;
  }

  return {
    root,
    /** An owner that has something in another area of the lane stays there. */
    openOwner({ owner, area = owner, lane = "" }: QueueKey): Line<Item> {
      const { line, areas, owners } = openLane(lane);
      return owners.get(owner) ?? openLine(owners, owner, openLine(areas, area, line));
    },
  };
}

function openLine<Item>(
  home: Map<string, Line<Item>>,
  key: string,
  parent: Line<Item>,
): Line<Item> {
  const known = home.get(key);
  if (known !== undefined) return known;
  const made = createLine(key, parent, home);
  home.set(key, made);
  return made;
}

function createLine<Item>(
  key: string,
  parent: Line<Item> | null,
  home: Line<Item>["home"],
): Line<Item> {
  const level = parent === null ? 0 : parent.level + 1;
  return { key, parent, level, home, running: 0, waiting: 0, queue: null };
}

/** Forgets the owner, and its area, if nothing of it runs or waits. */
export function forgetIdle<Item>(owner: Line<Item>): void {
  let line: Line<Item> | null = owner;
  while (line !== null && line.running === 0 && line.waiting === 0) {
    line.home?.delete(line.key);
    line = line.parent;
  }
}

export function openQueue<Item>(line: Line<Item>): Queue<Item> {
  line.queue ??= {
    entries: createLinkedList(),
    ready: createLinkedList(),
    byWaiting: [],
    spare: null,
    readyLink: null,
    waitingLink: null,
  };
  return line.queue;
}

export function addRunning<Item>(owner: Line<Item>, change: 1 | -1): void {
  for (let line: Line<Item> | null = owner; line !== null; line = line.parent) {
    line.running += change;
  }
}

export function addWaiting<Item>(owner: Line<Item>, change: 1 | -1): void {
  for (let line: Line<Item> | null = owner; line !== null; line = line.parent) {
    const before = line.waiting;
    line.waiting += change;
    if (line.parent !== null) moveByWaiting(openQueue(line.parent), line, before);
  }
}

function moveByWaiting<Item>(above: Queue<Item>, line: Line<Item>, before: number): void {
  const { byWaiting } = above;
  const queue = openQueue(line);
  const left = byWaiting[before];
  const { waitingLink: link } = queue;
  if (left !== undefined && link !== null) removeFrom(left, link);
  if (line.waiting === 0) queue.waitingLink = null;
  else {
    const joined = byWaiting[line.waiting] ?? above.spare ?? createLinkedList();
    if (joined === above.spare) above.spare = null;
    byWaiting[line.waiting] = joined;
    // The same link goes from list to list, since each request moves several.
    if (link === null) queue.waitingLink = appendTo(joined, line);
    else appendLink(joined, link);
  }
  // One step keeps the last list filled, since numbers change by one.
  if (byWaiting.at(-1)?.size === 0) above.spare = byWaiting.pop() ?? null;
}

/** The line and those above it: all together first, the owner last. */
export function toPath<Item>(owner: Line<Item>): Line<Item>[] {
  const path: Line<Item>[] = [];
  for (let line: Line<Item> | null = owner; line !== null; line = line.parent) path.unshift(line);
  return path;
}

/**
 * The entry that a newcomer replaces in a full line: the newest one of the part of the line with the
 * most entries. This part has at least two entries more than the newcomer's own part; null if there is
 * no such part.
 */
export function findReplaceable<Item>(
  full: Line<Item>,
  newcomer: Line<Item>,
): LaneEntry<Item> | null {
  for (const own of toPath(newcomer).slice(full.level + 1)) {
    let most = findLargest(own.parent);
    if (most === null || most.waiting < own.waiting + 2) continue;
    while (most !== null && most.level < ownerLevel) most = findLargest(most);
    return most?.queue?.entries.last?.value ?? null;
  }
  return null;
}

const findLargest = <Item>(above: Line<Item> | null): Line<Item> | null =>
  above?.queue?.byWaiting.at(-1)?.first?.value ?? null;
