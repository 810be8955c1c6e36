/** A whole number: a `bigint` only beyond ±(2^53 − 1), so that no digit is ever lost. */
export type Integer = number | bigint;
