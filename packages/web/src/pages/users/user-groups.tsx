import type { User } from "@hub/contract/user.ts";
import { Alert } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Answer } from "../../api/call-api.ts";
import { useApi } from "../../api/use-api.ts";
import { TagList } from "../../ui/badges/tag-list.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Properties } from "../../ui/page/properties.tsx";
import { TimeAgo } from "../../ui/text/time-ago.tsx";

type Origins = Answer<"GET /admin/api/users/{user}/groups">;

const problems: Record<string, string> = {
  overage:
    "The provider left the groups out of its token, because they are too many. Let it send only groups of the application.",
  missing: "The provider's tokens have no such claim.",
  malformed: "The claim is not a list of names.",
  too_many: "The provider sends more than 2,000 groups.",
  failed: "The provider did not answer.",
};

/** Where the tags, the role and the state come from. Nothing for a user whom no directory knows. */
export function UserGroups({ user }: { user: User }) {
  const { data } = useApi("GET /admin/api/users/{user}/groups", { params: { user: user.id } });
  if (data === undefined || isLocal(data)) return null;
  return (
    <Card title="From your directory">
      {data.sources.map(
        ({ source, problem, problem_at: at }) =>
          problem !== null && (
            <Alert key={source} color="yellow" mb="sm">
              The groups are not known{at === null ? "" : " since "}
              {at !== null && <TimeAgo at={at} />}. {problems[problem] ?? problem} What was known
              stays.
            </Alert>
          ),
      )}
      {data.keeps_last_admin && (
        <Alert color="yellow" mb="sm">
          Groups would take the role or the access. This is the last active admin, so both stay
          until there is another one.
        </Alert>
      )}
      <Properties items={toItems(data)} />
      <p>
        <Link to="/admin/users/groups">What groups give</Link>
      </p>
    </Card>
  );
}

function isLocal({ sources, provider, prepared_for: prepared, disabled_by: by }: Origins): boolean {
  return sources.length === 0 && provider === null && prepared === null && by === null;
}

function toItems(data: Origins): Array<[string, React.ReactNode]> {
  const { provider } = data;
  const groups = data.sources.flatMap(({ groups: names }) => names);
  const leftOut = data.sources.reduce((sum, { left_out: count }) => sum + count, 0);
  const items: Array<[string, React.ReactNode] | null> = [
    ["Groups", groups.length === 0 ? "None" : groups.join(", ")],
    leftOut === 0 ? null : ["Not read", `${leftOut} groups with names that are empty or too long`],
    ["Tags by groups", <TagList key="groups" tags={data.tags_by_groups} none="–" />],
    ["Tags by hand", <TagList key="hand" tags={data.tags_by_hand} none="–" />],
    ["Role by groups", data.role_by_groups ?? "–"],
    ["Role by hand", data.role_by_hand],
    data.disabled_by === null
      ? null
      : ["Disabled by", data.disabled_by === "groups" ? "Groups" : "SCIM"],
    data.untagged.length === 0 ? null : ["No tag made of", data.untagged.join(", ")],
    data.prepared_for === null ? null : ["Prepared for", data.prepared_for],
    provider === null
      ? null
      : ["Confirmed", <TimeAgo key="confirmed" at={provider.confirmed_at} />],
    provider?.ended_at == null
      ? null
      : ["Ended there", <TimeAgo key="ended" at={provider.ended_at} />],
    provider?.reason == null ? null : ["The provider said", provider.reason],
  ];
  return items.filter((item) => item !== null);
}
