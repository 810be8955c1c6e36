// Adds up JUnit reports and prints the line "N passed, N failed, N skipped".
// Usage: count-tests.mjs EXIT REPORT [EXIT REPORT ...], each with its runner's exit code.
// A missing or empty report counts as one failure. So does a failed runner whose report has no failed
// test. The failed tests are listed before the line, because what they printed is far above it.
import { readFileSync } from "node:fs";

let passed = 0;
let failed = 0;
let skipped = 0;

const args = process.argv.slice(2);
for (let index = 0; index < args.length; index += 2) {
  const exitCode = Number(args[index]);
  const path = args[index + 1];
  const counts = countReport(path);
  if (counts === null || counts.tests === 0) {
    console.log(`${path}: it contains no tests`);
    failed += 1;
    continue;
  }
  if (exitCode !== 0 && counts.failures === 0) {
    console.log(`${path}: the runner failed with exit code ${exitCode}`);
    failed += 1;
  }
  passed += counts.tests - counts.failures - counts.skipped;
  failed += counts.failures;
  for (const failure of counts.listed) console.log(failure);
  skipped += counts.skipped;
}

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exit(failed > 0 ? 1 : 0);

function countReport(path) {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return null;
  }
  const root = /<testsuites\b[^>]*>/.exec(text)?.[0];
  if (root === undefined) return null;
  const read = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  return {
    tests: read("tests"),
    failures: read("failures") + read("errors"),
    skipped: read("skipped"),
    listed: listFailures(text),
  };
}

/** `failed: FILE:LINE: TITLE: REASON` of each failed test. Texts of a report have no angle brackets. */
function listFailures(text) {
  return [...text.matchAll(/<testcase\b([^>]*)>\s*<failure\b([^>]*)>/g)].map(
    ([, test, failure]) => {
      const where = `${readAttribute(test, "file")}:${readAttribute(test, "line")}`;
      const reason = readAttribute(failure, "message").trim().split("\n", 1)[0];
      return `failed: ${where}: ${readAttribute(test, "name")}: ${reason}`;
    },
  );
}

function readAttribute(attributes, name) {
  const text = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  const characters = { quot: '"', lt: "<", gt: ">", apos: "'", "#10": "\n", amp: "&" };
  return text.replace(/&(\w+|#10);/g, (entity, code) => characters[code] ?? entity);
}
