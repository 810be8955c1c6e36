-- What a personal access token opens: MCP, or the management API as well. Tokens from before opened both.
alter table personal_access_tokens add column scope text collate "C" not null default 'manage'
  check (scope in ('mcp', 'manage'));
