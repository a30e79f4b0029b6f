import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { describeFailure, hasStatus } from "../../api/errors.ts"
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
import { Link, navigate, useLocation } from "../../shared/router.tsx"
import { editPath } from "../../shared/actions/openers.ts"
import { useCopy } from "../../shared/actions/useCopy.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { fromAddress } from "../../ui/time/timeInput.ts"
import { Composer } from "./Composer.tsx"
import { mayBeOutAlready } from "./earlierOutcome.ts"
import { emptyForm, formOf, isEmpty, isForm, keptForm } from "./form.ts"
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
  readonly onBegun: (id: string) => void
}

/** Each tab has its own draft of a new post. */
const NewPost = (props: NewPostProps) => {
  const draftKey = useTabDraftKey("compose", { hasText: (kept) => isForm(kept) && !isEmpty(kept) })
  return draftKey === undefined ? <Pending /> : <NewPostOf {...props} draftKey={draftKey} />
}

const NewPostOf = ({ accounts, at, draftKey, onBegun }: NewPostProps & { readonly draftKey: string }) => {
  const draft = useDraft(draftKey, emptyForm(at), keptForm)
  const { id } = draft.value
  const { data, error } = useQuery(id === undefined ? undefined : onePost(id))
  // Before `useEffect` runs, a person could schedule the post for the previous time.
  useLayoutEffect(() => {
    // The browser kept an unsaved text, and the person chose a day in the calendar.
    if (at !== null && draft.isRestored) draft.change((form) => ({ ...form, at }))
  }, [at])
  return (
    <Composer draft={draft} accounts={accounts} post={data?.data} isGone={hasStatus(error, 404)} onBegun={onBegun} />
  )
}

interface EditPostProps {
  readonly accounts: Accounts
  readonly post: PostJson
  readonly isGone: boolean
}

/** Each tab has its own draft of a post's changes, so that two tabs never overwrite each other's text. */
const EditPost = (props: EditPostProps) => {
  const draftKey = useTabDraftKey(`post:${props.post.id}`, { hasText: isForm, isReleased: true })
  return draftKey === undefined ? <Pending /> : <EditPostOf {...props} draftKey={draftKey} />
}

const EditPostOf = ({ accounts, draftKey, isGone, post }: EditPostProps & { readonly draftKey: string }) => {
  const draft = useDraft(draftKey, formOf(post), keptForm)
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

interface Begun {
  readonly count: number
  /** The draft as which the shown new post was saved by itself. */
  readonly id: string | undefined
}

/** A new post that was saved by itself stays on the page as it is, although the address names its draft now. */
const useBegun = (id: string | null) => {
  const begun = useRef<Begun>({ count: 0, id: undefined })
  const { count, id: last } = begun.current
  if (last !== undefined && last !== id) begun.current = { count: count + 1, id: undefined }
  const begin = (draft: string) => {
    begun.current = { ...begun.current, id: draft }
    navigate(editPath(draft), { replace: true, force: true })
  }
  return { ...begun.current, begin }
}

export const Page = () => {
  const { query } = useLocation()
  const accounts = useAccounts()
  const id = query.get("post")
  const begun = useBegun(id)
  if (id !== null && id !== begun.id) return <Edit key={id} accounts={accounts} id={id} />
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
  return accounts.all.length === 0 ? (
    <NoAccounts />
  ) : (
    <NewPost key={begun.count} accounts={accounts} at={fromAddress(query.get("at"))} onBegun={begun.begin} />
  )
}
