import type { Json } from "@hub/connector";

/** Whether a member is useless for models: see `trim`. */
export function isNoise(
  name: string,
  thing: Readonly<Record<string, Json>>,
  isOutermost: boolean,
): boolean {
  if (name === "html_url") return !isOutermost;
  if (keptAddresses.has(name)) return false;
  if (name === "url" || name === "href" || /^_|_url$/.test(name)) return true;
  if (name === "id") return "number" in thing || "full_name" in thing || "login" in thing;
  // The first of several values repeats the list.
  if (name === "assignee") return "assignees" in thing;
  // The author as text. The account of the author is another member.
  if (name === "email") return "date" in thing;
  return noise.has(name);
}

const keptAddresses = new Set(["clone_url", "browser_download_url", "submodule_git_url"]);

const noise = new Set([
  // Internal ids and flags of the API.
  ...[
    "node_id",
    "gravatar_id",
    "check_suite_id",
    "check_suite_node_id",
    "tree",
    "score",
    "protection",
  ],
  ...["site_admin", "user_view_type", "performed_via_github_app", "author_association"],
  ...["original_commit_id", "original_position", "position", "head_commit", "tree_id"],
  ...["sub_issues_summary", "issue_dependencies_summary", "comment_count", "committer"],
  ...["triggering_actor", "referenced_workflows", "last_response"],
  // Settings of a repository, and duplicates of its counts.
  ...["permissions", "temp_clone_token", "security_and_analysis", "custom_properties"],
  ...["has_issues", "has_projects", "has_downloads", "has_wiki", "has_pages", "has_discussions"],
  ...["has_pull_requests", "pull_request_creation_policy", "allow_forking", "is_template"],
  ...["allow_squash_merge", "allow_merge_commit", "allow_rebase_merge", "allow_auto_merge"],
  ...["allow_update_branch", "delete_branch_on_merge", "use_squash_pr_title_as_default"],
  ...["squash_merge_commit_message", "squash_merge_commit_title", "merge_commit_message"],
  ...["merge_commit_title", "web_commit_signoff_required", "anonymous_access_enabled"],
  ...["watchers", "watchers_count", "forks", "open_issues", "network_count", "organization"],
]);
