import { useHotkeys } from "@mantine/hooks";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Answer } from "../api/call-api.ts";
import { useApi } from "../api/use-api.ts";
import { type Me, MeContext } from "../api/use-me.ts";
import { Icon } from "../ui/controls/icon.tsx";
import { useToast } from "../ui/dialogs/toasts.tsx";
import { useCode } from "../ui/json/use-code.ts";
import { Loaded } from "../ui/page/loaded.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { PageSkeleton } from "../ui/page/page-skeleton.tsx";
import { Menu, menuId } from "./menu.tsx";
import { SchemeSwitch } from "./scheme-switch.tsx";

/** The search of the server-rendered pages is a link to the start page with this hash. */
const searchHash = "#search";

const loadPalette = () => import("./command-palette.tsx");

/** The frame of every page of the app: header, menu, content. */
export function Shell() {
  const me = useApi("GET /profile/api/me", {});
  const [isPaletteOpen, setPaletteOpen] = useState(location.hash === searchHash);
  const closePalette = useCallback(() => setPaletteOpen(false), []);
  useHotkeys([["mod+K", () => setPaletteOpen(true)]], []);
  return (
    <>
      <a className="hub-skip" href="#main">
        Skip to content
      </a>
      <header className="hub-header">
        <button
          type="button"
          className="hub-icon-button hub-menu-button"
          popoverTarget={menuId}
          aria-label="Menu"
        >
          <Icon name="menu" />
        </button>
        <a className="hub-brand" href="/">
          <Logo />
          Hub
        </a>
        <div className="hub-header-end">
          <button type="button" className="hub-search" onClick={() => setPaletteOpen(true)}>
            <Icon name="search" />
            <span>Search</span>
            <kbd>{isMac() ? "⌘K" : "Ctrl K"}</kbd>
          </button>
          <SchemeSwitch />
        </div>
      </header>
      <Loaded of={me} what="Your account" skeleton={<Frame me={null} />}>
        {(answer) => (
          <MeContext value={toMe(answer)}>
            <Frame me={toMe(answer)} />
            {isPaletteOpen && <PaletteGate onClose={closePalette} />}
          </MeContext>
        )}
      </Loaded>
    </>
  );
}

function PaletteGate({ onClose }: { onClose: () => void }) {
  const { code, hasFailed } = useCode(loadPalette);
  const toast = useToast();
  useEffect(() => {
    if (!hasFailed) return;
    toast({ kind: "error", text: "The search could not be loaded. Check your connection." });
    onClose();
  }, [hasFailed, toast, onClose]);
  return code === null ? null : <code.Palette onClose={onClose} />;
}

function Frame({ me }: { me: Me | null }) {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  // Screen readers and the keyboard go on at the new page, not at the link that opened it.
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <div className="hub-frame">
      <Menu me={me} />
      <main className="hub-main" id="main" tabIndex={-1} ref={main}>
        <Content me={me} />
      </main>
    </div>
  );
}

function Content({ me }: { me: Me | null }) {
  const { pathname } = useLocation();
  if (me === null) return <PageSkeleton />;
  // The API refuses their data too. To other users these pages do not exist.
  if (pathname.startsWith("/admin/") && !me.isAdmin) return <NotFound />;
  return <Outlet />;
}

function toMe({ user, csrf_token, mcp_url }: Answer<"GET /profile/api/me">): Me {
  const isAdmin = user.role === "admin";
  return { user, isAdmin, csrfToken: csrf_token ?? "", mcpUrl: mcp_url };
}

function isMac(): boolean {
  return /mac|iphone|ipad/i.test(navigator.userAgent);
}

function Logo() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="3" fill="currentColor" />
      <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </svg>
  );
}
