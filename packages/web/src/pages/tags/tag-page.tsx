import type { User } from "@hub/contract/user.ts";
import { Link, useParams } from "@tanstack/react-router";
import { useAll } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { TagRows } from "./tag-rows.tsx";
import { TagUsers } from "./tag-users.tsx";

/** One tag: everything that it opens, and everyone for whom. */
export function TagPage() {
  const { tag } = useParams({ from: "/admin/tags/$tag" });
  const users = useAll("GET /admin/api/users", {});
  return (
    <Page
      title={tag}
      parent={<Link to="/admin/tags">Tags</Link>}
      lead={
        tag === "everyone"
          ? "Every user has this tag."
          : "The users below see the rows below and call their enabled operations."
      }
    >
      <Card title="What it opens">
        <TagRows key={tag} tag={tag} />
      </Card>
      {tag !== "everyone" && (
        <Card title="Who has it">
          <Loaded of={users} what="The users" skeleton={<PageSkeleton lines={4} />}>
            {(pages) => <TagUsers key={tag} tag={tag} users={toUsers(pages)} />}
          </Loaded>
        </Card>
      )}
    </Page>
  );
}

const toUsers = (pages: ReadonlyArray<{ users: User[] }>) => pages.flatMap((page) => page.users);
