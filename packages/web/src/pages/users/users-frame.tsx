import { Tabs } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useShownTab } from "../../ui/controls/use-shown-tab.ts";
import { Page } from "../../ui/page/page-frame.tsx";

/** The pages about users, each with its address. A new one is an entry here and a route. */
const userTabs = [
  { name: "People", path: "/admin/users" },
  { name: "Groups", path: "/admin/users/groups" },
  { name: "Provisioning", path: "/admin/users/provisioning" },
  { name: "Service users", path: "/admin/users/service-users" },
  { name: "Trusted issuers", path: "/admin/users/trusted-issuers" },
] as const;

type Props = {
  /** The address of the chosen tab. */
  tab: (typeof userTabs)[number]["path"];
  lead: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** The page Users with its tabs; `children` is the content of the chosen one. */
export function UsersFrame({ tab, lead, actions, children }: Props) {
  const navigate = useNavigate();
  const list = useShownTab(tab);
  const open = (path: string | null) => {
    const next = userTabs.find((one) => one.path === path);
    if (next !== undefined) void navigate({ to: next.path });
  };
  return (
    <Page title="Users" lead={lead} actions={actions}>
      <Tabs value={tab} keepMounted={false} onChange={open}>
        <Tabs.List mb="md" ref={list} aria-label="About users">
          {userTabs.map(({ name, path }) => (
            <Tabs.Tab key={path} value={path}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>{children}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}
