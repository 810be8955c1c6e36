import { expect, test } from "bun:test";
import { toTracks } from "./to-tracks.ts";

const columns = [
  { key: "name", width: "minmax(8rem, 3fr)" },
  { key: "used", width: "8.5rem" },
];

test("A table whose contents are not known takes the whole width, or that which is given", () => {
  expect(toTracks(columns, {})).toEqual({ "--tracks": "minmax(8rem, 3fr) 8.5rem" });
  expect(toTracks(columns, {}, "48rem").maxWidth).toBe("48rem");
});

test("A table ends where the contents of its columns end", () => {
  expect(toTracks(columns, { name: 200, used: 40 })).toEqual({
    "--tracks": "minmax(8rem, max(8rem, 200px)) 8.5rem",
    maxWidth: "calc(max(8rem, 200px) + 8.5rem + 50px)",
  });
});

test("One long text does not make a column wider than a line that can be read", () => {
  expect(toTracks(columns, { name: 5_000 })["--tracks"]).toContain("max(8rem, 960px)");
});
