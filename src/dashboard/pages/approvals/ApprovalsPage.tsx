import { useState } from "preact/hooks"
import { usePages } from "../../api/pages.ts"
import { type PostJson, postPage } from "../../api/posts.ts"
import type { Refusal } from "../../shared/actions/action.ts"
import { sayRefusal } from "../../shared/actions/send.ts"
import { useCan } from "../../shared/me.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
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

/** Keeps a changed post in place, although it left the queue, until the person has seen the change. */
const withKept = (items: ReadonlyArray<PostJson>, kept: ReadonlyMap<string, PostJson>): ReadonlyArray<PostJson> => {
  const gone = Array.from(kept.values()).filter(({ id }) => !items.some((item) => item.id === id))
  return [...gone, ...items]
}

export const Page = () => {
  const { error, hasMore, isLoading, isLoadingMore, items, loadMore, moreError, retry } = usePages(queue)
  const [kept, setKept] = useState<ReadonlyMap<string, PostJson>>(new Map())
  const [chosen, setChosen] = useState<string>()

  const posts = withKept(items ?? [], kept)
  const current = posts.find(({ id }) => id === chosen) ?? posts[0]
  const place = posts.findIndex((post) => post === current)
  const step = (by: number) => {
    const next = posts[place + by]
    if (next === undefined) return
    setChosen(next.id)
    document.getElementById(`approval-${next.id}`)?.scrollIntoView({ block: "nearest" })
  }
  const several = posts.length > 1
  useShortcut(
    { keys: "j", label: "Next post", group: "Approvals" },
    several
      ? () => {
          step(1)
        }
      : undefined
  )
  useShortcut(
    { keys: "k", label: "Previous post", group: "Approvals" },
    several
      ? () => {
          step(-1)
        }
      : undefined
  )

  const forget = (id: string) => {
    setKept((before) => new Map(Array.from(before).filter(([key]) => key !== id)))
  }
  const keep = (post: PostJson, refusal: Refusal) => {
    const { current: version } = refusal
    if (version !== undefined) setKept((before) => new Map(before).set(post.id, version))
    else {
      forget(post.id)
      sayRefusal({ post }, refusal)
    }
  }

  return (
    <div class="page">
      <PageHeader title="Approvals" description="Posts that wait for a person, the next one first." />
      <LoadError error={error} onRetry={retry} />
      {isLoading ? (
        <>
          <Loading />
          <Skeleton lines={3} height="card" />
        </>
      ) : items === undefined ? null : posts.length === 0 ? (
        <Nothing />
      ) : (
        <ul class="approvals">
          {posts.map((post) => (
            <li key={post.id} id={`approval-${post.id}`}>
              <ApprovalCard
                post={newer(post, kept.get(post.id))}
                isCurrent={post === current}
                onFocus={() => {
                  setChosen(post.id)
                }}
                onConflict={(refusal) => {
                  keep(post, refusal)
                }}
                onDecided={() => {
                  forget(post.id)
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <LoadError error={moreError} onRetry={retry} />
      {hasMore && moreError === undefined && (
        <div class="approvals-more">
          <Button kind="quiet" busy={isLoadingMore} onClick={loadMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

const newer = (post: PostJson, other: PostJson | undefined): PostJson =>
  other !== undefined && other.revision > post.revision ? other : post
