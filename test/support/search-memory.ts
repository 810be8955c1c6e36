import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/** Why the memory of a process cannot be searched here; null if it can. */
export const noMemorySearch: string | null =
  process.platform === "linux" ? null : "only Linux shows the memory of a process";

const chunkBytes = 4 * 1024 * 1024;

/**
 * Searches the whole memory of a process, and returns those of the texts that are in it, as UTF-8 or as UTF-16. Memory that
 * cannot be read, such as that of devices, holds nothing of the process itself. Throws if the process must not be read,
 * or has nothing to read: then a search would prove nothing.
 */
export function findInMemory(pid: number, texts: readonly string[]): Set<string> {
  const needles = texts.flatMap((text) => [
    { text, bytes: Buffer.from(text, "utf8") },
    { text, bytes: Buffer.from(text, "utf16le") },
  ]);
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  const found = new Set<string>();
  let bytesRead = 0;
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const pages = openSync(`/proc/${pid}/pagemap`, "r");
  const chunk = Buffer.alloc(chunkBytes);
  try {
    for (const region of listRegions(pid)) {
      for (const { start, end } of listPresent(pages, region)) {
        for (let at = start; at < end; at += chunkBytes - overlap) {
          const length = readAt(memory, chunk, at, Math.min(chunkBytes, end - at));
          if (length === 0) break;
          bytesRead += length;
          const held = chunk.subarray(0, length);
          for (const { text, bytes } of needles) if (held.indexOf(bytes) !== -1) found.add(text);
        }
      }
    }
  } finally {
    closeSync(memory);
    closeSync(pages);
  }
  if (bytesRead === 0) throw new Error(`No memory of process ${pid} could be read.`);
  return found;
}

type Region = { start: number; end: number };

/** The parts of a process's memory that have content. */
function listRegions(pid: number): Region[] {
  const regions: Region[] = [];
  let region: Region | null = null;
  for (const line of readFileSync(`/proc/${pid}/smaps`, "utf8").split("\n")) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) (r?)/.exec(line);
    if (range?.[3] !== undefined) {
      const [, start = "", end = ""] = range;
      region = { start: Number.parseInt(start, 16), end: Number.parseInt(end, 16) };
      if (range[3] === "") region = null;
    }
    const kib = Number(/^(?:Rss|Swap):\s+(\d+)/.exec(line)?.[1] ?? 0);
    if (kib > 0 && region !== null) {
      regions.push(region);
      region = null;
    }
  }
  return regions;
}

const pageBytes = 4096;
const entryBytes = 8;
const pagesPerRead = 128 * 1024;

/** The pages of a region that are in memory or swapped out. Engines reserve gigabytes, of which they use little. */
function* listPresent(pages: number, { start, end }: Region): Generator<Region> {
  const entries = Buffer.alloc(pagesPerRead * entryBytes);
  let from: number | null = null;
  for (let at = start; at < end; at += pagesPerRead * pageBytes) {
    const count = Math.min(pagesPerRead, (end - at) / pageBytes);
    const offset = (at / pageBytes) * entryBytes;
    const read = readAt(pages, entries, offset, count * entryBytes) / entryBytes;
    for (let page = 0; page < count; page += 1) {
      // The two highest bits: present, swapped.
      const isThere = page < read && (entries[page * entryBytes + 7] ?? 0) >= 0x40;
      const address = at + page * pageBytes;
      if (isThere) from ??= address;
      else if (from !== null) {
        yield { start: from, end: address };
        from = null;
      }
    }
  }
  if (from !== null) yield { start: from, end };
}

/** 0 if there is nothing to read, such as behind the end of a mapped file. */
function readAt(file: number, into: Buffer, at: number, length: number): number {
  try {
    return readSync(file, into, 0, length, at);
  } catch (err) {
    const { code } = err as { code?: string };
    if (code === "EIO" || code === "EFAULT") return 0;
    throw err;
  }
}
