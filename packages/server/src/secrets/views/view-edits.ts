/**
 * Maps positions of a rewritten text to the original: each entry has the start and end in the new
 * and in the old text. An entry of length 0 begins a window.
 */
export function createEdits() {
  let numbers = new Uint32Array(64);
  let count = 0;
  /** The last entry that starts at or before an index of the new text. */
  const find = (index: number): number => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle * 4] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0) * 4;
  };
  return {
    add(start: number, end: number, oldStart: number, oldEnd: number): void {
      if (count * 4 === numbers.length) {
        const larger = new Uint32Array(numbers.length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      const at = count * 4;
      numbers[at] = start;
      numbers[at + 1] = end;
      numbers[at + 2] = oldStart;
      numbers[at + 3] = oldEnd;
      count += 1;
    },
    mapStart(index: number): number {
      const at = find(index);
      const end = numbers[at + 1] ?? 0;
      return index < end ? (numbers[at + 2] ?? 0) : (numbers[at + 3] ?? 0) + (index - end);
    },
    mapEnd(index: number): number {
      // The last entry that is before the last character or contains it.
      const at = find(index - 1);
      const end = numbers[at + 1] ?? 0;
      return index <= end ? (numbers[at + 3] ?? 0) : (numbers[at + 3] ?? 0) + (index - end);
    },
  };
}
