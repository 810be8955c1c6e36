// Adds up JUnit reports and prints the line "N passed, N failed, N skipped".
// Usage: count-tests.mjs EXIT REPORT [EXIT REPORT ...], each with its runner's exit code.
// A missing or empty report counts as one failure. So does a failed runner whose report has no failed
// test.
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
  };
}
