import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { createHidePaths } from "./hide-paths.ts";
import { isFileError, toSafeReason } from "./safe-reason.ts";

const folder = "/srv/hub+data (1)";
const hide = createHidePaths([folder]);

test("Paths of the hub's folders are removed from any text", () => {
  const paths = [
    folder,
    `${folder}/keys.json`,
    `${folder}/plugins/.versions/logs/1/logs`,
    `${tmpdir()}/hubp-Ab3/1/plugin.sock`,
    `unix:${tmpdir()}/hubp-Ab3/1/plugin.sock`,
  ];
  const around = ["", " ", "'", '"', "`", "(", "connect ENOENT ", ": ", ",", "\n", "file://"];
  for (const path of paths) {
    for (const before of around) {
      for (const after of around) {
        const output = hide(`It failed${before}${path}${after}and ${path}.`);
        for (const secret of [folder, "hubp-", "keys.json", ".versions", "plugin.sock"]) {
          expect(output).not.toContain(secret);
        }
        expect(output).toContain("(a path of the hub)");
      }
    }
  }
});

test.each([
  "GET https://example.com/srv/hub answered 404.",
  "/repos/acme/web/contents/src/app.ts is not there.",
  "There is no slash here.",
])("Other paths and addresses are not removed: %s", (text) => {
  expect(hide(text)).toBe(text);
});

test("If the root is the data folder, other paths are not removed", () => {
  expect(createHidePaths(["/"])("GET /repos answered 404.")).toBe("GET /repos answered 404.");
});

describe("a file system error", () => {
  test("A file system error is shown by its code, without the path", async () => {
    const failure = await Bun.file("/no/such/file")
      .text()
      .catch((thrown) => thrown);
    expect(isFileError(failure)).toBeTrue();
    expect(toSafeReason(failure)).toBe("the system reports ENOENT for a file");
  });

  test("A failed request is not a file system error", async () => {
    // No program listens there.
    const failure = await fetch("http://127.0.0.1:1/").catch((thrown) => thrown);
    expect(isFileError(failure)).toBeFalse();
  });
});
