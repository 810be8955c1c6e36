import { Link, useParams } from "@tanstack/react-router";
import { Card } from "../../ui/page/card.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { TagRows } from "./tag-rows.tsx";
import { TagUsers } from "./tag-users.tsx";

/** One tag: everything that it opens, and everyone for whom. */
export function TagPage() {
  const { tag } = useParams({ from: "/admin/tags/$tag" });
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
          <TagUsers key={tag} tag={tag} />
        </Card>
      )}
    </Page>
  );
}
