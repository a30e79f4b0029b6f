import type { ComponentChildren } from "preact"
import { useRef, useState } from "preact/hooks"
import { serviceNow } from "../../api/clock.ts"
import { hasStatus } from "../../api/errors.ts"
import { onePost, type PostJson } from "../../api/posts.ts"
import { isAwaitingApproval, isChangedSinceAsked, isRejected, postStatus } from "../../api/postStatus.ts"
import { useQuery } from "../../api/query.ts"
import { useAccounts } from "../../shared/accounts/useAccounts.ts"
import { editPath } from "../../shared/actions/openers.ts"
import { useUnsaved } from "../../shared/drafts/unsaved.ts"
import { UnsavedNote } from "../../shared/drafts/UnsavedNote.tsx"
import { OutlookNote } from "../../shared/outlook/OutlookNote.tsx"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { Link, navigate, type PageProps } from "../../shared/router.tsx"
import { classes } from "../../ui/classes.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { StatusBadge } from "../../ui/display/StatusBadge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { namePlatforms } from "../../../domain/plain/platforms.ts"
import { Time, useNow } from "../../ui/time/Time.tsx"
import { ChangedMeanwhile } from "../approvals/ChangeList.tsx"
import { describeLimit } from "./describeLimit.ts"
import { isGoingOut, pollMillis } from "./polling.ts"
import { PostActions } from "./PostActions.tsx"
import { PostFacts } from "./PostFacts.tsx"
import { PostHistory } from "./PostHistory.tsx"
import { TargetCards } from "./TargetCard.tsx"
import { describeHalfSent, describeUnderWay } from "../../shared/threadState.ts"
import { describePublished } from "../../shared/whatIsOut.ts"

export interface PostViewProps {
  readonly id: string
  /** Undefined if the post is shown on a page of its own. */
  readonly onClose?: (() => void) | undefined
}

const Plan = ({ isRest, post }: { readonly post: PostJson; readonly isRest: boolean }) => {
  const { isStuck } = useAccounts()
  const stuck = post.post_targets.filter(isStuck)
  const left = post.post_targets.filter(({ status }) => status !== "published")
  if (stuck.length > 0 && stuck.length === left.length) {
    return isRest ? "the rest can’t go out: not connected" : "Not connected: it can’t go out"
  }
  if (post.scheduled_at === null) return isRest ? "the rest is scheduled" : "Scheduled"
  // A failed target keeps the planned time, and is due from the order to publish it again.
  if (isRest && new Date(post.scheduled_at) < serviceNow()) return "the rest goes out now"
  return (
    <>
      {isRest ? "the rest goes" : "Goes"} out <Time at={post.scheduled_at} as="sentence" />
      {stuck.length > 0 && `, but not on ${namePlatforms(stuck.map(({ integrations }) => integrations.platform))}`}
    </>
  )
}

const Headline = ({ post }: { readonly post: PostJson }) => {
  const published = post.post_targets.filter(({ status }) => status === "published")
  const halfSent = describeHalfSent(post)
  const out = halfSent ?? (published.length > 0 ? describePublished(published) : undefined)
  const underWay = describeUnderWay(post)
  const limit = describeLimit(post)
  switch (post.status) {
    case "draft":
      if (out === undefined && post.scheduled_at === null) return "Draft without a time"
      return (
        <>
          {out === undefined ? "Draft" : `${out}; the rest is a draft`}
          {post.scheduled_at !== null && (
            <>
              {" "}
              for <Time at={post.scheduled_at} as="fixed" />
            </>
          )}
        </>
      )
    case "scheduled":
      if (limit !== undefined) return limit
      return (
        <>
          {out !== undefined && `${out}; `}
          <Plan post={post} isRest={out !== undefined} />
        </>
      )
    case "publishing":
      return limit ?? (underWay === undefined ? "Is going out" : `Is going out: ${underWay}`)
    case "published":
      return post.published_at === null ? (
        "Published"
      ) : (
        <>
          Published <Time at={post.published_at} as="sentence" />
        </>
      )
    case "failed":
      if (halfSent !== undefined) return halfSent
      if (postStatus(post) === "unknown") return "May be out"
      return published.length === 0 ? "Did not go out" : `${describePublished(published)} only`
  }
}

const ApprovalNote = ({ post }: { readonly post: PostJson }) => {
  const { approval } = post
  if (isChangedSinceAsked(post)) {
    return (
      <div class="post-note status-draft">
        <Icon name="pencil" />
        <p>
          Changed since approval was asked for, so it is not among the approvals. It goes out once somebody schedules
          it.
        </p>
      </div>
    )
  }
  if (approval === null || !isRejected(post)) return null
  const by = approval.decided_by === null ? "" : ` by ${approval.decided_by.name}`
  return (
    <div class="post-note status-failed">
      <Icon name="cross" />
      <p>
        Rejected{by}
        {approval.reason !== null && (
          <>
            : <bdi>{approval.reason}</bdi>
          </>
        )}
      </p>
    </div>
  )
}

const Frame = ({ children, onClose }: Pick<PostViewProps, "onClose"> & { readonly children: ComponentChildren }) => (
  <section class={classes("post", onClose !== undefined && "post-beside")} aria-label="Post">
    {children}
  </section>
)

const Gone = ({ isPage }: { readonly isPage: boolean }) => (
  <EmptyState
    icon="search"
    title="There is no such post"
    isPage={isPage}
    action={
      <Link class="button button-secondary" href="/posts">
        See all posts
      </Link>
    }
  >
    <p>It was deleted, or it is in another workspace.</p>
  </EmptyState>
)

const Loaded = ({ onClose, post }: { readonly post: PostJson; readonly onClose: (() => void) | undefined }) => {
  // Called only to render again. The time that it returns may be older than a post that was just published.
  useNow()
  const isWatched = isGoingOut(post, serviceNow())
  /** In milliseconds since 1970. */
  const since = useRef<number | undefined>(undefined)
  since.current = isWatched ? (since.current ?? Date.now()) : undefined
  useQuery(
    isWatched ? onePost(post.id) : undefined,
    since.current === undefined ? {} : { every: pollMillis(Date.now() - since.current) }
  )
  /** The version that the person has read. Stays until they confirm a newer one. */
  const [read, setRead] = useState(post)
  const unsaved = useUnsaved()
  const Title = onClose === undefined ? "h1" : "h2"
  return (
    <>
      <header class="post-head">
        <div class="post-headline">
          <StatusBadge status={postStatus(post)} />
          <Title class="post-title">
            <Headline post={post} />
          </Title>
        </div>
        {onClose !== undefined && <IconButton icon="close" label="Close" onClick={onClose} />}
        <PostActions
          post={post}
          read={read}
          onRead={setRead}
          isBeside={onClose !== undefined}
          onDeleted={onClose ?? (() => navigate("/posts", { replace: true }))}
        />
      </header>
      {unsaved.has(post.id) && (
        <UnsavedNote href={editPath(post.id)} onDiscard={() => unsaved.discard(post.id)}>
          You changed this post in this browser and did not save it.
        </UnsavedNote>
      )}
      <ApprovalNote post={post} />
      <OutlookNote post={post} />
      {isAwaitingApproval(post) && <ChangedMeanwhile read={read} post={post} />}
      <div class="post-targets">
        <TargetCards post={post} />
      </div>
      <PostFacts post={post} />
      <PostHistory post={post} />
    </>
  )
}

export const PostView = ({ id, onClose }: PostViewProps) => {
  const { data, error, refetch } = useQuery(onePost(id))
  const isGone = hasStatus(error, 404, 400)
  if (data === undefined || isGone) {
    return (
      <Frame onClose={onClose}>
        {error === undefined ? (
          <>
            <Loading />
            <Skeleton lines={2} />
            <Skeleton lines={2} height="card" />
            <Skeleton lines={3} />
          </>
        ) : (
          <>
            {onClose !== undefined && (
              <header class="post-head">
                <span />
                <IconButton icon="close" label="Close" onClick={onClose} />
              </header>
            )}
            {isGone ? <Gone isPage={onClose === undefined} /> : <LoadError error={error} onRetry={refetch} />}
          </>
        )}
      </Frame>
    )
  }
  return (
    <Frame onClose={onClose}>
      <LoadError error={error} onRetry={refetch} />
      <Loaded key={id} post={data.data} onClose={onClose} />
    </Frame>
  )
}

export const Page = ({ params: { id = "" } }: PageProps) => (
  <div class="page">
    <PostView key={id} id={id} />
  </div>
)
