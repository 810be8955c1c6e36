import { expect, test } from "bun:test";
import { createOpenStreams, streamsOfUserMax } from "./open-streams.ts";

test("Streams are counted by user, and each of them ends once", () => {
  const streams = createOpenStreams();
  const ends = Array.from({ length: streamsOfUserMax }, () => streams.open("ann"));
  expect(() => streams.open("ann")).toThrow(/32 event streams and exports open.*Close one/);
  streams.open("bob");
  ends[0]?.();
  ends[0]?.();
  streams.open("ann");
  expect(() => streams.open("ann")).toThrow("maximum");
});
