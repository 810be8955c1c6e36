/**
 * Starts animations that change nothing. While they last, the browser moves these elements as layers, and does not
 * compare them with all others in each frame, which takes most of its time. Returns the end.
 */
export function holdLayers(elements: Iterable<Element>): () => void {
  const animations = [...elements].map((element) =>
    element.animate(
      { transform: ["translate(0)", "translate(0)"] },
      { duration: 1000, iterations: Number.POSITIVE_INFINITY, composite: "add" },
    ),
  );
  return () => {
    for (const animation of animations) animation.cancel();
  };
}
