import { closeSync, openSync, readSync } from "node:fs";

/** Pages of the write-ahead log that SQLite will leave out, since one before them is damaged. */
export type DroppedFrames = {
  frames: number;
  /** Transactions among them; all but the newest were committed for certain. */
  commits: number;
};

const headerBytes = 32;
const frameHeaderBytes = 24;
const magicOfBigEndian = 0x377f0683;
const magicOfLittleEndian = 0x377f0682;

/**
 * Looks for damage in the write-ahead log of a database that no process uses. SQLite reads it up to the first damaged frame and
 * says nothing of those after it. Null if there is no log or nothing is lost for certain: a crash may leave an unfinished
 * transaction at its end, and frames of earlier use follow, which have other salts.
 */
export function findDroppedFrames(databasePath: string): DroppedFrames | null {
  const file = openIfExists(`${databasePath}-wal`);
  if (file === null) return null;
  try {
    return findIn(file);
  } finally {
    closeSync(file);
  }
}

function findIn(file: number): DroppedFrames | null {
  const header = readPart(file, 0, headerBytes);
  const magic = header?.readUInt32BE(0);
  if (header === null || (magic !== magicOfBigEndian && magic !== magicOfLittleEndian)) return null;
  const isBigEndian = magic === magicOfBigEndian;
  const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  let sums: Sums = addSums([0, 0], header.subarray(0, 24), isBigEndian);
  if (!hasSums(header, 24, sums)) return null;
  let isDamaged = false;
  const dropped = { frames: 0, commits: 0 };
  for (let at = headerBytes; ; at += frameBytes) {
    const frame = readPart(file, at, frameBytes);
    if (frame === null || !frame.subarray(8, 16).equals(salts)) break;
    if (!isDamaged) {
      sums = addSums(sums, frame.subarray(0, 8), isBigEndian);
      sums = addSums(sums, frame.subarray(frameHeaderBytes), isBigEndian);
      isDamaged = !hasSums(frame, 16, sums);
    }
    if (!isDamaged) continue;
    dropped.frames += 1;
    // The last frame of a transaction has the size of the database.
    if (frame.readUInt32BE(4) !== 0) dropped.commits += 1;
  }
  // A crash can damage the newest transaction, which then was never committed.
  return dropped.commits < 2 ? null : dropped;
}

type Sums = [number, number];

/** The checksum of the file format, over pairs of 32-bit numbers. */
function addSums([first, second]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    const low = isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    const high = isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
    one = (one + low + two) >>> 0;
    two = (two + high + one) >>> 0;
  }
  return [one, two];
}

function hasSums(bytes: Buffer, at: number, [one, two]: Sums): boolean {
  return bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === two;
}

/** Null if the file ends before. */
function readPart(file: number, at: number, bytes: number): Buffer | null {
  const part = Buffer.alloc(bytes);
  return readSync(file, part, 0, bytes, at) === bytes ? part : null;
}

function openIfExists(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch {
    // There is none, or the open of the database says why it cannot be read.
    return null;
  }
}
