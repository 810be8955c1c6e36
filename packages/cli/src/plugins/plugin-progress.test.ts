import { describe, expect, test } from "bun:test";
import { toProgressLine } from "./plugin-progress.ts";

const archive = "tracker-0.1.0-linux-amd64.zip";
const downloading = (percent: number) => ({ phase: "downloading" as const, percent });

describe("plugin progress", () => {
  test("The progress line has a bar when the total size is known", () => {
    expect(toProgressLine(downloading(50), "tracker", 80)).toBe(
      `Downloading tracker [${"=".repeat(20)}${"-".repeat(20)}]  50%`,
    );
  });

  test("The progress line has no bar when the total size is unknown", () => {
    expect(toProgressLine({ phase: "downloading" }, archive, 80)).toBe(`Downloading ${archive}`);
    expect(toProgressLine({ phase: "verifying" }, archive, 80)).toBe(`Verifying   ${archive}`);
    expect(toProgressLine(null, archive, 80)).toBe(`Starting    ${archive}`);
  });

  test("The progress line shortens the name before the bar on a narrow terminal", () => {
    expect(toProgressLine(downloading(30), archive, 40)).toBe(
      "Downloading tracker-… [===-------]  30%",
    );
    expect(toProgressLine({ phase: "verifying" }, archive, 40)).toBe(
      "Verifying   tracker-0.1.0-linux-amd64.…",
    );
  });

  test.each([10, 20, 30, 40, 60, 80, 200])("the progress line fits into %d columns", (columns) => {
    for (const name of [archive, "プラグイン".repeat(20), "x", ""]) {
      for (const progress of [null, downloading(0), downloading(33.4), downloading(100)]) {
        const line = toProgressLine(progress, name, columns);
        const widthMin = progress?.percent === undefined ? 12 : 21;
        expect(Bun.stringWidth(line)).toBeLessThan(Math.max(columns, widthMin));
      }
    }
  });
});
