import { expect, test } from "bun:test";
import { createNetworkBuckets } from "./network-buckets.ts";

const open = () => createNetworkBuckets({ now: () => 0, perMinute: 10 });

const countTaken = (buckets: ReturnType<typeof open>, addresses: string[]) =>
  addresses.filter((address) => buckets.take(address)).length;

test("A network has its tokens, and other networks have theirs", () => {
  const buckets = open();
  expect(countTaken(buckets, Array(20).fill("203.0.113.1"))).toBe(10);
  expect(countTaken(buckets, Array(20).fill("203.0.113.2"))).toBe(10);
});

test.each([
  ["an IPv6 /48", (n: number) => `2001:db8:1:${n.toString(16)}::1`, "2001:db8:2::1"],
  ["an IPv4 /24", (n: number) => `203.0.113.${n % 256}`, "203.0.114.1"],
])("All networks of %s have together the tokens of sixteen (attack)", (_, toAddress, other) => {
  const buckets = open();
  const addresses = Array.from({ length: 2560 }, (_, n) => toAddress(n));
  expect(countTaken(buckets, addresses)).toBe(160);
  expect(buckets.take(other)).toBeTrue();
});

test("A token that is given back counts neither for the network nor for its area", () => {
  const buckets = open();
  for (let n = 0; n < 1000; n += 1) {
    expect(buckets.take(`203.0.113.${n % 256}`)).toBeTrue();
    buckets.give(`203.0.113.${n % 256}`);
  }
});
