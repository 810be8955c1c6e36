import { type MenuFold, toFold, toFoldCookie } from "@hub/contract/menu-fold.ts";
import { useLocation } from "@tanstack/react-router";
import { useLayoutEffect, useState } from "react";

const keptS = 365 * 24 * 3600;

/**
 * Whether the menu shows icons only, on this page. The choice is kept in a cookie, which the server reads for the
 * first paint.
 */
export function useMenuFold(): [fold: MenuFold, choose: (fold: MenuFold) => void] {
  const { pathname } = useLocation();
  const [, setChosen] = useState<MenuFold>();
  const fold = toFold(pathname, readCookie(document.cookie, toFoldCookie(pathname)));
  useLayoutEffect(() => {
    document.documentElement.dataset.menu = fold;
  }, [fold]);
  const choose = (next: MenuFold) => {
    // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API only on pages over HTTPS.
    document.cookie = `${toFoldCookie(pathname)}=${next}; path=/; max-age=${keptS}; samesite=lax`;
    setChosen(next);
    document.documentElement.dataset.menu = next;
  };
  return [fold, choose];
}

function readCookie(cookies: string, name: string): string | undefined {
  const pair = cookies.split("; ").find((one) => one.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}
