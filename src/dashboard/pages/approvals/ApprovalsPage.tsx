import { useState } from "preact/hooks"
import { usePages } from "../../api/pages.ts"
import { type PostJson, postPage } from "../../api/posts.ts"
import type { Refusal } from "../../shared/actions/action.ts"
import { sayRefusal } from "../../shared/actions/send.ts"
import { useCan } from "../../shared/me.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { ApprovalCard } from "./ApprovalCard.tsx"

const queue = postPage({ approval: "requested", sort: "scheduled_at", order: "asc" })

const Nothing = () => {
  const can = useCan()
  return (
    <EmptyState
      icon="approvals"
      title="Nothing waits for approval"
      action={
        can("webhooks:manage") && (
          <Link class="button button-secondary" href="/settings/agents">
            Connect an agent
          </Link>
        )
      }
    >
      <p>Posts that a program or agent drafts with a key that requires approval wait here until somebody decides.</p>
    </EmptyState>
  )
}

const newer = (post: PostJson, other: PostJson | undefined): PostJson =>
  other !== undefined && other.revision > post.revision ? other : post

/** Keeps showing a changed post that has left the queue, until the person has seen the change. */
const useQueue = () => {
  const list = usePages(queue)
  const [kept, setKept] = useState<ReadonlyMap<string, PostJson>>(new Map())
  const items = list.items ?? []
  const gone = Array.from(kept.values()).filter(({ id }) => !items.some((item) => item.id === id))

  const forget = (id: string) => setKept((before) => new Map(Array.from(before).filter(([key]) => key !== id)))
  return {
    list,
    posts: [...gone, ...items].map((post) => newer(post, kept.get(post.id))),
    forget,
    keep: (post: PostJson, refusal: Refusal) => {
      const { current: version } = refusal
      if (version !== undefined) setKept((before) => new Map(before).set(post.id, version))
      else {
        forget(post.id)
        sayRefusal({ post }, refusal)
      }
    }
  }
}

/** The post that shortcuts apply to: the chosen one, or else the first. */
const useCurrent = (posts: ReadonlyArray<PostJson>) => {
  const [chosen, setChosen] = useState<string>()
  const current = posts.find(({ id }) => id === chosen) ?? posts[0]
  const step = (by: number) => () => {
    const next = posts[posts.findIndex((post) => post === current) + by]
    if (next === undefined) return
    setChosen(next.id)
    document.getElementById(`approval-${next.id}`)?.scrollIntoView({ block: "nearest" })
  }
  const several = posts.length > 1
  useShortcut({ keys: "j", label: "Next post", group: "Approvals" }, several ? step(1) : undefined)
  useShortcut({ keys: "k", label: "Previous post", group: "Approvals" }, several ? step(-1) : undefined)
  return { current, choose: setChosen }
}

export const Page = () => {
  const { forget, keep, list, posts } = useQueue()
  const { choose, current } = useCurrent(posts)
  return (
    <div class="page">
      <PageHeader title="Approvals" description="Posts that wait for a person, the next one first." />
      <LoadState of={list} height="card" lines={3} />
      {list.items !== undefined && posts.length === 0 && <Nothing />}
      {list.items !== undefined && posts.length > 0 && (
        <ul class="approvals">
          {posts.map((post) => (
            <li key={post.id} id={`approval-${post.id}`}>
              <ApprovalCard
                post={post}
                isCurrent={post === current}
                onFocus={() => choose(post.id)}
                onConflict={(refusal) => keep(post, refusal)}
                onDecided={() => forget(post.id)}
              />
            </li>
          ))}
        </ul>
      )}
      <LoadError error={list.moreError} onRetry={list.refetch} />
      {list.hasMore && list.moreError === undefined && (
        <div class="approvals-more">
          <Button kind="quiet" busy={list.isLoadingMore} onClick={list.loadMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}
