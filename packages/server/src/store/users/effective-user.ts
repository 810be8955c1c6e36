/**
 * What a service user is at this moment, as parts of statements of both databases about `users`. It acts while its owner is an
 * active person, sees at most what the owner sees, and is an admin while both are. A person costs one comparison.
 */
export const effectiveRole = `case
    when users.user_kind = 'person' or users.role <> 'admin' then users.role
    when exists (select 1 from users o where o.id = users.owned_by and o.role = 'admin') then 'admin'
    else 'user' end`;

export const effectiveStatus = `case
    when users.user_kind = 'person' or users.status <> 'active' then users.status
    when exists (select 1 from users o where o.id = users.owned_by and o.user_kind = 'person'
      and o.status = 'active') then 'active'
    else 'disabled' end`;

/** The condition on lines of `user_tags` of the user. */
export const isEffectiveTag = `(users.user_kind = 'person' or exists (
      select 1 from users o where o.id = users.owned_by and (o.role = 'admin' or exists (
        select 1 from user_tags ot where ot.user_id = o.id and ot.tag_id = user_tags.tag_id))))`;
