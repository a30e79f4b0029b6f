import { useEffect, useLayoutEffect } from "preact/hooks"
import { describeFailure } from "../../api/errors.ts"
import { postHistory } from "../../api/history.ts"
import { usePages } from "../../api/pages.ts"
import { onePost, type PostJson } from "../../api/posts.ts"
import { isOpen, isSomewhereOut } from "../../api/postStatus.ts"
import { useQuery } from "../../api/query.ts"
import { type Accounts, useAccounts } from "../../shared/accounts/useAccounts.ts"
import { useDraft } from "../../shared/drafts/useDraft.ts"
import { useTabDraftKey } from "../../shared/drafts/useTabDraftKey.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link, useLocation } from "../../shared/router.tsx"
import { useCopy } from "../../shared/actions/useCopy.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { fromAddress } from "../../ui/time/timeInput.ts"
import { Composer } from "./Composer.tsx"
import { mayBeOutAlready } from "./earlierOutcome.ts"
import { emptyForm, formOf, isEmpty, isForm, restoreForm } from "./form.ts"
import { KeptText } from "./KeptText.tsx"
import { SentEditor } from "./SentEditor.tsx"

const Pending = () => (
  <div class="page">
    <Loading />
    <Skeleton lines={2} />
    <Skeleton lines={2} height="card" />
  </div>
)

const NoAccounts = () => (
  <div class="page">
    <EmptyState
      isPage
      icon="accounts"
      title="Connect an account first"
      action={
        <Link class="button button-primary" href="/accounts">
          Connect an account
        </Link>
      }
    >
      <p>Posts go out on the accounts of this workspace, and it has none yet.</p>
    </EmptyState>
  </div>
)

interface NewPostProps {
  readonly accounts: Accounts
  readonly at: string | null
}

/** Each tab has its own draft of a new post. */
const NewPost = (props: NewPostProps) => {
  const draftKey = useTabDraftKey("compose", (kept) => isForm(kept) && !isEmpty(kept))
  return draftKey === undefined ? <Pending /> : <NewPostOf {...props} draftKey={draftKey} />
}

const NewPostOf = ({ accounts, at, draftKey }: NewPostProps & { readonly draftKey: string }) => {
  const draft = useDraft(draftKey, emptyForm(at), restoreForm)
  // Before `useEffect` runs, a person could schedule the post for the previous time.
  useLayoutEffect(() => {
    // The browser kept an unsaved text, and the person chose a day in the calendar.
    if (at !== null && draft.isRestored) draft.change((form) => ({ ...form, at }))
  }, [at])
  return <Composer draft={draft} accounts={accounts} post={undefined} />
}

interface EditPostProps {
  readonly accounts: Accounts
  readonly post: PostJson
  readonly isGone: boolean
}

const EditPost = ({ accounts, isGone, post }: EditPostProps) => {
  const draft = useDraft(`post:${post.id}`, formOf(post), restoreForm)
  return <Composer draft={draft} accounts={accounts} post={post} isGone={isGone} />
}

const Closed = ({ post }: { readonly post: PostJson }) => {
  const { duplicate, isPending } = useCopy()
  return (
    <EmptyState
      isPage
      icon="posts"
      title="This post can’t be changed any more"
      action={
        <>
          <Link class="button button-secondary" href={`/posts/${encodeURIComponent(post.id)}`}>
            See the post
          </Link>
          {duplicate !== undefined && (
            <Button icon="copy" busy={isPending} onClick={() => void duplicate(post)}>
              Duplicate
            </Button>
          )}
        </>
      }
    >
      <p>
        {post.status === "failed" ? "Its time has passed, and it has failed." : "It is out already, or on its way."} A
        copy of it can be changed.
      </p>
      <KeptText id={post.id} />
    </EmptyState>
  )
}

const Edit = ({ accounts, id }: { readonly accounts: Accounts; readonly id: string }) => {
  const { data, error, refetch } = useQuery(onePost(id))
  const history = usePages(postHistory(id))
  useEffect(history.loadMore)
  if (data !== undefined) {
    const { data: post } = data
    if (!isOpen(post)) return <Closed post={post} />
    if (isSomewhereOut(post)) return <SentEditor post={post} />
    const { error: historyError = history.moreError, hasMore, items } = history
    if (items !== undefined && mayBeOutAlready(items)) return <SentEditor post={post} mayBeOut />
    // If the history fails to load, the service still refuses changes to published content.
    const isKnown = (items !== undefined && !hasMore) || historyError !== undefined
    const isGone = error?._tag === "ApiError" && error.status === 404
    return isKnown ? <EditPost accounts={accounts} post={post} isGone={isGone} /> : <Pending />
  }
  return error === undefined ? (
    <Pending />
  ) : (
    <EmptyState isPage icon="warning" title="The post can’t load" action={<Button onClick={refetch}>Try again</Button>}>
      <p>{describeFailure(error)}</p>
      <KeptText id={id} />
    </EmptyState>
  )
}

export const Page = () => {
  const { query } = useLocation()
  const accounts = useAccounts()
  const id = query.get("post")
  if (id !== null) return <Edit key={id} accounts={accounts} id={id} />
  if (accounts.all === undefined) {
    return accounts.error === undefined ? (
      <Pending />
    ) : (
      <div class="page">
        <PageHeader title="New post" />
        <LoadError error={accounts.error} onRetry={accounts.refetch} />
      </div>
    )
  }
  return accounts.all.length === 0 ? <NoAccounts /> : <NewPost accounts={accounts} at={fromAddress(query.get("at"))} />
}
