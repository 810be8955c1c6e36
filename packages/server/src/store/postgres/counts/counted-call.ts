import type { CallRefusal, CountedCall } from "../../limits/call-counts.ts";

export function refuse(refusal: CallRefusal): CountedCall {
  return { refusal, end() {} };
}

/** A call that is granted, or will be if the promise says so. Its end is reported once. */
export function toCountedCall(refusal: CountedCall["refusal"], end: () => void): CountedCall {
  let isOver = false;
  let isGranted = refusal === null;
  if (refusal instanceof Promise) {
    // A call that is over while the database is asked may still be granted.
    const recordAnswer = (found: CallRefusal | null) => {
      isGranted = found === null;
      if (isGranted && isOver) end();
    };
    refusal.then(recordAnswer, () => {});
  }
  return {
    refusal,
    end() {
      if (isOver) return;
      isOver = true;
      if (isGranted) end();
    },
  };
}
