import { expect, test } from "bun:test";
import { startFakeHost } from "../../fixtures/fake-host.fixture.ts";

const pull = { owner: "octocat", repo: "hello-world", number: 7 };
const diff = "--- a/ä.txt\n+++ b/ä.txt\n+Grüße 🌍\n";

test("A diff without max_bytes is complete and not truncated", async () => {
  await using host = startFakeHost(() => ({ body: diff }));
  expect(await host.run("get_pr_diff", pull)).toEqual({
    diff,
    truncated: false,
    total_bytes: Buffer.byteLength(diff),
  });
  const whole = await host.run("get_pr_diff", { ...pull, max_bytes: 0 });
  expect(whole).toMatchObject({ diff, truncated: false });
});

test("A diff is cut after a line, and a cut within a line does not split a character", async () => {
  await using host = startFakeHost(() => ({ body: diff }));
  const size = Buffer.byteLength(diff);
  expect(size).toBeGreaterThan(20);
  for (let max = 1; max < size; max += 1) {
    const cut = await host.run("get_pr_diff", { ...pull, max_bytes: max });
    expect(cut).toMatchObject({ truncated: true, total_bytes: size });
    const kept = (cut as { diff: string }).diff; // The line above checks this type.
    expect(diff.startsWith(kept)).toBe(true);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(max);
    if (max >= 13) expect(kept).toEndWith("\n");
  }
});

test("A cut diff does not contain half of the row's token, which masking would not find", async () => {
  await using host = startFakeHost(() => ({ body: "+ä ghp_test, and more on the same line" }));
  for (const max of [6, 8, 11]) {
    const cut = await host.run("get_pr_diff", { ...pull, max_bytes: max });
    expect(cut).toMatchObject({ diff: "+ä ", note: expect.stringContaining("this is 4 of") });
  }
});

test("A diff that is too large for the host names the operation to use instead", async () => {
  await using host = startFakeHost(() => ({ status: 406, body: { message: "Too large" } }));
  await expect(host.run("get_pr_diff", pull)).rejects.toThrow("list_pr_files");
});

test("An answer that is not a diff is an error, not an empty diff", async () => {
  const headers = { "content-type": "application/json" };
  await using host = startFakeHost(() => ({ headers, body: { number: 7 } }));
  await expect(host.run("get_pr_diff", pull)).rejects.toThrow("sent no diff");
});
