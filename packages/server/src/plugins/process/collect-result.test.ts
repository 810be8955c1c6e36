import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { answerBytesMax, loopBytesMax } from "../../lib/limits/answer-limits.ts";
import { UnreadBody } from "../../lib/streams/unread-body.ts";
import { createResultCollector } from "./collect-result.ts";

/** A collector, and the memory that it took. `isGranted` decides whether there is memory. */
function open({ isGranted = true } = {}) {
  const taken: number[] = [];
  const collector = createResultCollector("tracker", {
    take: () => null,
    takeArrived(bytes) {
      taken.push(bytes);
      return isGranted;
    },
  });
  return { collector, taken };
}

const spaces = (bytes: number) => new Uint8Array(bytes).fill(0x20);

function codeOf(work: () => unknown): string {
  try {
    work();
    return "no failure";
  } catch (thrown) {
    return thrown instanceof HubError ? thrown.code : String(thrown);
  }
}

test("The chunks of a small result are parsed together and take no memory for large answers", () => {
  const { collector, taken } = open();
  collector.add(Buffer.from('{"a":'));
  collector.add(Buffer.from("1}"));
  expect(collector.finish()).toEqual({ a: 1 });
  expect(open().collector.finish()).toBeNull();
  expect(taken).toEqual([]);
});

test("A large result takes memory in steps, ahead of its bytes, and is left unparsed", () => {
  const { collector, taken } = open();
  collector.add(spaces(loopBytesMax));
  expect(taken).toEqual([]);
  collector.add(spaces(1));
  expect(taken).toEqual([2 * loopBytesMax + 1]);
  collector.add(spaces(loopBytesMax));
  expect(taken).toHaveLength(1);
  collector.add(spaces(1));
  expect(taken).toEqual([2 * loopBytesMax + 1, loopBytesMax + 1]);
  const whole = collector.finish();
  expect(whole).toBeInstanceOf(UnreadBody);
  expect(whole).toHaveProperty("bytes.length", 2 * loopBytesMax + 2);
});

test("A large result without memory is refused, and the caller can try again", () => {
  const { collector } = open({ isGranted: false });
  expect(codeOf(() => collector.add(spaces(loopBytesMax)))).toBe("no failure");
  expect(codeOf(() => collector.add(spaces(1)))).toBe("rate_limited");
});

test("A result may have as many bytes as the largest answer and no more", () => {
  const { collector } = open();
  expect(codeOf(() => collector.add(spaces(answerBytesMax)))).toBe("no failure");
  expect(codeOf(() => collector.add(spaces(1)))).toBe("upstream_error");
});

test.each([
  ["is no JSON", Buffer.from("{")],
  ["is no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
])("A result that %s is an error of the plugin", (_, bytes) => {
  const { collector } = open();
  collector.add(bytes);
  expect(() => collector.finish()).toThrow('The plugin "tracker" returned invalid JSON.');
  expect(codeOf(() => collector.finish())).toBe("upstream_error");
});
