/**
 * A vector with one signed byte for each dimension: a quarter of the memory, and the order of
 * similarities is nearly the same.
 */
export type SmallVector = Int8Array;

const valueMax = 127;

/** The vector with its largest number at 127. Its length does not matter for cosines. */
export function toSmallVector(vector: Float32Array): SmallVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const small = new Int8Array(vector.length);
  for (let at = 0; at < vector.length; at += 1) {
    small[at] = Math.round(((vector[at] ?? 0) / largest) * valueMax);
  }
  return small;
}

/** The length of the vector; 0 for one without a direction. */
export function measureLength(vector: SmallVector): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}
