import { Link, useParams } from "@tanstack/react-router";
import { usePages } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { TagRows, toRowsOfTag } from "./tag-rows.tsx";
import { TagUsers } from "./tag-users.tsx";

/** One tag: what it opens, and the users who have it. */
export function TagPage() {
  const { tag } = useParams({ from: "/admin/tags/$tag" });
  // The list above would push the users away when it comes.
  const rows = usePages(...toRowsOfTag(tag));
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
      {tag !== "everyone" && !rows.isPending && (
        <Card title="Who has it">
          <TagUsers key={tag} tag={tag} />
        </Card>
      )}
    </Page>
  );
}
