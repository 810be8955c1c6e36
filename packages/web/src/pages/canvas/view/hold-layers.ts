/**
 * Starts animations that change nothing. While they last, the browser moves these elements as layers, and does not
 * compare them with all others in each frame, which takes most of its time. They are paused, so that the browser does
 * not compute the styles again for each frame of them. Returns the end.
 */
export function holdLayers(elements: Iterable<Element>): () => void {
  const animations = [...elements].map((element) => {
    const animation = element.animate(
      { transform: ["translate(0)", "translate(0)"] },
      { duration: 1000, iterations: Number.POSITIVE_INFINITY, composite: "add" },
    );
    animation.pause();
    return animation;
  });
  return () => {
    for (const animation of animations) animation.cancel();
  };
}
