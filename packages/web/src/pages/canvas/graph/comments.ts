import type { Body, Comment, Position } from "./body.ts";

/** What the keys of comments begin with, among the ids of items, which have no colon. */
const prefix = "comment:";

/** The key of a comment in selections and positions. */
export const toCommentKey = (id: string) => prefix + id;

export const isCommentKey = (key: string) => key.startsWith(prefix);

export function findComment(body: Body, key: string): Comment | null {
  if (!isCommentKey(key)) return null;
  return body.comments?.find(({ id }) => toCommentKey(id) === key) ?? null;
}

/** Where the comments are, by their keys. */
export function listCommentPositions(body: Body): Record<string, Position> {
  const comments = body.comments ?? [];
  return Object.fromEntries(comments.map(({ id, position }) => [toCommentKey(id), position]));
}

export const newCommentSize: Position = [240, 112];

/** Adds an empty comment. The second value is its key. */
export function addComment(body: Body, position: Position): [Body, string] {
  const id = makeCommentId(body);
  const comment = { id, text: "", position, size: newCommentSize };
  return [{ ...body, comments: [...(body.comments ?? []), comment] }, toCommentKey(id)];
}

export function makeCommentId({ comments = [] }: Body): string {
  const known = new Set(comments.map(({ id }) => id));
  for (let number = comments.length + 1; ; number += 1) {
    if (!known.has(`comment_${number}`)) return `comment_${number}`;
  }
}

export function setComment(
  body: Body,
  key: string,
  fields: Partial<Pick<Comment, "text" | "position" | "size">>,
): Body {
  return changeComments(body, (comment) =>
    toCommentKey(comment.id) === key ? { ...comment, ...fields } : comment,
  );
}

/** The same body if no comment is among the positions. */
export function moveComments(body: Body, positions: Readonly<Record<string, Position>>): Body {
  return changeComments(body, (comment) => {
    const [x, y] = positions[toCommentKey(comment.id)] ?? comment.position;
    const isThere = x === comment.position[0] && y === comment.position[1];
    return isThere ? comment : { ...comment, position: [x, y] };
  });
}

export function removeComments(body: Body, keys: ReadonlySet<string>): Body {
  return changeComments(body, (comment) => (keys.has(toCommentKey(comment.id)) ? null : comment));
}

function changeComments(body: Body, change: (comment: Comment) => Comment | null): Body {
  const { comments, ...rest } = body;
  if (comments === undefined) return body;
  const changed = comments.map(change);
  if (changed.every((comment, at) => comment === comments[at])) return body;
  const kept = changed.filter((comment) => comment !== null);
  // A body without comments is written as it was before it had one.
  return kept.length === 0 ? rest : { ...body, comments: kept };
}
