import type { Post } from "../../src/domain/posts/post.ts"

export type PostJson = typeof Post.Encoded

/** A scheduled post, with changes. */
export const post = (id: string, changes: Partial<PostJson> = {}): PostJson => ({
  id,
  status: "scheduled",
  content: `Post ${id}`,
  scheduled_at: "2026-10-24T07:00:00.000Z",
  published_at: null,
  tags: [],
  platform_overrides: {},
  platform_settings: {},
  media: [],
  thread: [],
  reply_to: null,
  card: null,
  approval: null,
  group_id: null,
  copied_from: null,
  revision: 1,
  created_by: null,
  post_targets: [],
  created_at: "2026-10-01T07:00:00.000Z",
  ...changes
})
