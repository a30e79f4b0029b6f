import type { OutlookJson } from "../../api/outlookJson.ts"
import { withPeriod } from "../../api/errors.ts"
import { useAccounts } from "../../shared/accounts/useAccounts.ts"
import { describeCost } from "../../shared/describeCost.ts"
import { useCan, useMe } from "../../shared/me.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { byState, sumUp, sumUpFine } from "./sumUp.ts"
import { UpcomingPosts, type UpcomingPostsProps } from "./UpcomingPost.tsx"
import { type Upcoming, useUpcoming } from "./useUpcoming.ts"

const NothingDue = () => (
  <EmptyState
    icon="calendar"
    title="Nothing is due soon"
    action={
      useCan()("posts:write") && (
        <Link class="button button-secondary" href="/compose">
          New post
        </Link>
      )
    }
  >
    <p>Scheduled posts, and drafts with a time, are checked here before they go out.</p>
  </EmptyState>
)

const Summary = ({ outlook }: { readonly outlook: OutlookJson }) => {
  const { checked_at, cost_estimate: cost, counts, publishing_held: isHeld, until } = outlook
  return (
    <div class="upcoming-summary">
      <p class="upcoming-sum">{sumUp(counts)}</p>
      <p class="secondary small">
        Until <Time at={until} as="fixed" /> · checked <Time at={checked_at} as="sentence" />
      </p>
      {cost !== null && <p class="secondary small">{withPeriod(describeCost(cost))}</p>}
      {isHeld && (
        <p class="upcoming-held status-publishing">
          <Icon name="warning" />
          <span>Publishing is on hold, so nothing goes out, and platforms, links and files were not asked.</span>
        </p>
      )}
    </div>
  )
}

const Section = ({ id, title, ...list }: UpcomingPostsProps & { readonly id: string; readonly title: string }) =>
  list.posts.length === 0 ? null : (
    <section class="upcoming-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <UpcomingPosts {...list} />
    </section>
  )

const Fine = ({ count, ...list }: UpcomingPostsProps & { readonly count: number }) => {
  if (count === 0) return null
  const title = sumUpFine(count, list.posts)
  return list.posts.length === 0 ? (
    <p class="secondary">{title}</p>
  ) : (
    <details class="upcoming-fine">
      <summary>
        <Icon name="chevronRight" />
        {title}
      </summary>
      <UpcomingPosts {...list} />
    </details>
  )
}

const LeftOut = ({
  isLoadingMore,
  note,
  showMore
}: Pick<Upcoming, "isLoadingMore" | "showMore"> & Pick<OutlookJson, "note">) =>
  note === null ? null : (
    <div class="upcoming-more">
      <p class="secondary">{withPeriod(note)}</p>
      {(showMore !== undefined || isLoadingMore) && (
        <Button busy={isLoadingMore} onClick={() => showMore?.()}>
          List more
        </Button>
      )}
    </div>
  )

const UpcomingView = ({
  outlook,
  ...more
}: Pick<Upcoming, "isLoadingMore" | "showMore"> & { readonly outlook: OutlookJson }) => {
  const { find } = useAccounts()
  const { counts, note, posts } = outlook
  const { fine, needing, unchecked } = byState(posts)
  if (counts.posts === 0) return <NothingDue />
  return (
    <>
      <Summary outlook={outlook} />
      <Section id="needs-you" title="Needs you" posts={needing} find={find} />
      <Section id="unchecked" title="Could not be checked" posts={unchecked} find={find} />
      <Fine count={counts.fine} posts={fine} find={find} />
      <LeftOut note={note} {...more} />
    </>
  )
}

export const Page = () => {
  const { checkAgain, data, isChecking, isLoadingMore, showMore, ...loaded } = useUpcoming()
  const isAdmin = useMe().caller.role === "admin"
  return (
    <div class="page">
      <PageHeader
        title="Upcoming"
        description="What goes out soon, checked before its time."
        actions={
          <>
            {isAdmin && (
              <Link class="button button-quiet" href="/settings/notifications#daily-check">
                Daily check
              </Link>
            )}
            {data !== undefined && (
              <Button icon="refresh" busy={isChecking} onClick={checkAgain}>
                Check again
              </Button>
            )}
          </>
        }
      />
      {loaded.isLoading && <p class="secondary">Checking accounts, files and links. This can take half a minute.</p>}
      <LoadState of={loaded} label="Checking what is due soon" height="card" lines={3} />
      {data !== undefined && <UpcomingView outlook={data} isLoadingMore={isLoadingMore} showMore={showMore} />}
    </div>
  )
}
