import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** The width of an element in rem, known before the first paint. Null on a phone, where rows wrap. */
export function useWidthRem<T extends HTMLElement>(): [RefObject<T | null>, number | null] {
  const ref = useRef<T>(null);
  const [widthRem, setWidthRem] = useState<number | null>(null);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => {
      const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const isPhone = window.matchMedia("(max-width: 40rem)").matches;
      setWidthRem(isPhone ? null : Math.floor((element.clientWidth / remPx) * 2) / 2);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, widthRem];
}
