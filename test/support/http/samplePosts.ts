import { DateTime } from "effect"
import { IntegrationId, PostId } from "../../../src/domain/ids.ts"
import type { Integration } from "../../../src/domain/integration.ts"
import type { Post } from "../../../src/domain/post.ts"

export const postId = PostId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")

/** A draft, changed as the test wants it. */
export const aPost = (changes: Partial<Post> = {}): Post => ({
  id: postId,
  status: "draft",
  content: "Hello",
  scheduled_at: null,
  published_at: null,
  tags: [],
  group_id: null,
  post_targets: [
    {
      status: "pending",
      platform_post_url: null,
      published_at: null,
      error: null,
      integrations: { platform: "twitter" }
    }
  ],
  created_at: DateTime.makeUnsafe("1970-01-01T00:00:00Z"),
  ...changes
})

export const anIntegration: Integration = {
  id: IntegrationId.make("01a1fc17-dc2e-777d-ad63-000000000003"),
  platform: "twitter",
  username: "team",
  display_name: "The team",
  avatar_url: null,
  status: "connected",
  created_at: DateTime.makeUnsafe("1970-01-01T00:00:00Z")
}
