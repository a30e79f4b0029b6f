import type { ComponentChildren } from "preact"
import type { PostJson } from "../../api/posts.ts"
import { ContinuedPost } from "../../shared/ContinuedPost.tsx"
import { Link } from "../../shared/router.tsx"
import { sentLater } from "../../shared/sentLater.ts"
import { MarkedText } from "../../ui/preview/MarkedText.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { replies, repliesOf } from "../compose/replies.ts"

const Fact = ({ children, name }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div class="post-fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

export const PostFacts = ({ post }: { readonly post: PostJson }) => {
  const chosen = repliesOf(post)
  // The first post of a thread decides who may reply to all of it.
  const decidesReplies =
    post.reply_to === null && post.post_targets.some(({ integrations }) => integrations.platform === replies.platform)
  return (
    <dl class="post-facts">
      {post.scheduled_at !== null && (
        <Fact name={post.status === "draft" ? "Planned for" : "Time"}>
          <Time at={post.scheduled_at} as="exact" />
        </Fact>
      )}
      {sentLater(post).map(({ at, platform }) => (
        <Fact key={platform} name={`Sent later on ${platform}`}>
          <Time at={at} as="exact" />
        </Fact>
      ))}
      {decidesReplies && chosen !== null && <Fact name={replies.label}>{replies.choices[chosen]}</Fact>}
      {post.tags.length > 0 && (
        <Fact name="Tags">
          {post.tags.map((tag) => (
            <Link key={tag} class="chip" href={`/posts?tag=${encodeURIComponent(tag)}`}>
              <MarkedText text={tag} />
            </Link>
          ))}
        </Fact>
      )}
      {post.reply_to !== null && (
        <Fact name="Continues the thread of">
          <ContinuedPost id={post.reply_to} />
        </Fact>
      )}
      {post.copied_from !== null && post.copied_from !== post.reply_to && (
        <Fact name="Copy of">
          <Link href={`/posts/${encodeURIComponent(post.copied_from)}`}>another post</Link>
        </Fact>
      )}
      {post.created_by !== null && <Fact name="Made by">{post.created_by.name}</Fact>}
    </dl>
  )
}
