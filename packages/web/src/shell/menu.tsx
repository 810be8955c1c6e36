import { isPageOf, listNavigation, type NavigationItem } from "@hub/contract/navigation.ts";
import { Link, useLocation } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import type { Me } from "../api/use-me.ts";
import { Icon } from "../ui/controls/icon.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { approvalsMax, useMyDecisions } from "../workflow-parts/use-my-approvals.ts";
import { useMenuFold } from "./use-menu-fold.ts";

export const menuId = "menu";

/** What the switch of the menu does. */
const foldNames = { folded: "Show the names of the menu", open: "Fold the menu to icons" };

/** The menu, with the same markup as in the server-rendered pages. Empty before the user is known. */
export function Menu({ me }: { me: Me | null }) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const [fold, chooseFold] = useMenuFold();
  // Below 62 rem it is a popover, which covers the page that a link has opened.
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes with each new page.
  useEffect(() => {
    if (nav.current?.matches(":popover-open") === true) nav.current.hidePopover();
  }, [pathname]);
  return (
    <nav className="hub-nav" id={menuId} popover="auto" aria-label="Main" ref={nav}>
      {me !== null && (
        <>
          {listNavigation(me).map(({ title, items }) => (
            <Fragment key={title}>
              {title !== null && (
                <h2>
                  <span>{title}</span>
                </h2>
              )}
              <ul>
                {items.map((item) => (
                  <li key={item.path}>
                    <MenuLink item={item}>
                      <Icon name={item.icon} />
                      <span className="hub-name">{item.name}</span>
                      {item.path === "/approvals" && <ApprovalCount />}
                    </MenuLink>
                  </li>
                ))}
              </ul>
            </Fragment>
          ))}
          <form method="post" action="/auth/logout" className="hub-who">
            <span title={me.user.email}>{me.user.email}</span>
            <input type="hidden" name="csrf" value={me.csrfToken} />
            <button
              type="submit"
              className="hub-icon-button"
              aria-label="Sign out"
              title="Sign out"
            >
              <Icon name="signOut" />
            </button>
            <IconButton
              className="hub-fold"
              icon={fold === "open" ? "fold" : "unfold"}
              label={foldNames[fold]}
              aria-expanded={fold === "open"}
              aria-controls={menuId}
              onClick={() => chooseFold(fold === "open" ? "folded" : "open")}
            />
          </form>
        </>
      )}
    </nav>
  );
}

/** How many decisions wait for the user. */
function ApprovalCount() {
  const count = useMyDecisions().length;
  if (count === 0) return null;
  return (
    <span className="hub-count">
      {count > approvalsMax ? `${approvalsMax}+` : count}
      <span className="hub-unseen"> waiting for you</span>
    </span>
  );
}

function MenuLink({ item, children }: { item: NavigationItem; children: ReactNode }) {
  const { pathname } = useLocation();
  if (item.isServerPage === true) return <a href={item.path}>{children}</a>;
  const isHere = isPageOf(item, pathname);
  return (
    // Every path of the menu that the server does not render is a route without parameters.
    <Link
      to={item.path as "/"}
      activeOptions={{ exact: item.path === "/", includeSearch: false }}
      {...(isHere && { "aria-current": "page" as const })}
    >
      {children}
    </Link>
  );
}
