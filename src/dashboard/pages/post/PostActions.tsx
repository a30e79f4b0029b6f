import type { Outcome } from "../../api/errors.ts"
import { describeFailure } from "../../api/errors.ts"
import { deletePost, isConflict, publishPost, updatePost } from "../../api/postActions.ts"
import { formatEtag } from "../../../domain/plain/posts.ts"
import type { PostJson } from "../../api/posts.ts"
import { isAwaitingApproval, isOpen, isSomewhereOut } from "../../api/postStatus.ts"
import { useMutation } from "../../api/query.ts"
import { useCan } from "../../shared/me.ts"
import { Link } from "../../shared/router.tsx"
import { useShortcut } from "../../shared/shortcuts.ts"
import { useCopy } from "../../shared/useCopy.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { useDecision } from "../approvals/useDecision.tsx"
import { describeDeletion } from "./describeDeletion.ts"

const sayFailure = (outcome: Outcome<unknown>): boolean => {
  if (outcome.ok) return true
  toast(
    isConflict(outcome.error)
      ? "The post was changed meanwhile. This is how it is by now."
      : describeFailure(outcome.error),
    { tone: "error" }
  )
  return false
}

interface DecideProps {
  readonly post: PostJson
  /** The post as the person has read it, which is what they decide on. */
  readonly read: PostJson
  readonly onRead: (post: PostJson) => void
}

const Decide = ({ onRead, post, read }: DecideProps) => {
  const { approve, dialog, isPending, startRejecting } = useDecision(read, {
    onConflict: (error) => {
      toast(
        isConflict(error) ? "The post was changed meanwhile. Read it again, then decide." : describeFailure(error),
        { tone: "error" }
      )
    }
  })
  if (post.revision !== read.revision) {
    return (
      <Button
        kind="primary"
        onClick={() => {
          onRead(post)
        }}
      >
        I read this version
      </Button>
    )
  }
  return (
    <>
      <Button kind="primary" icon="check" busy={isPending} onClick={approve}>
        Approve
      </Button>
      <Button onClick={startRejecting}>Reject</Button>
      {dialog}
    </>
  )
}

export interface PostActionsProps extends DecideProps {
  /** Whether the post is shown beside something else. */
  readonly isBeside: boolean
  /** Called after the post was deleted. */
  readonly onDeleted: () => void
}

/** What the state of a post and the person's role allow, and nothing else. */
export const PostActions = ({ isBeside, onDeleted, onRead, post, read }: PostActionsProps) => {
  const can = useCan()
  const { confirm, dialog } = useConfirm()
  const options = { invalidates: ["/v1/posts"] }
  const publish = useMutation(() => publishPost(post), options)
  const schedule = useMutation(() => updatePost(post.id, { status: "scheduled" }, formatEtag(post)), options)
  const unschedule = useMutation(() => updatePost(post.id, { status: "draft" }, formatEtag(post)), options)
  const remove = useMutation(() => deletePost(post), options)
  const { duplicate, isPending: isCopying } = useCopy()
  // Beside the calendar the key is the calendar's, for the post that has the focus there.
  useShortcut(
    { keys: "c", label: "Duplicate the post", group: "Post" },
    isBeside || duplicate === undefined ? undefined : () => void duplicate(post)
  )
  const canChange = isOpen(post)
  const isOut = isSomewhereOut(post)
  const isWaiting = isAwaitingApproval(post)
  // Between two attempts a post that is going out can be deleted, and the rest of it stays unsent.
  const isBeingSent = post.post_targets.some(({ status }) => status === "publishing")
  const now = useNow()
  const isPlannedDraft = post.status === "draft" && post.scheduled_at !== null && new Date(post.scheduled_at) > now

  const publishNow = async () => {
    const isSure = await confirm({
      title: "Publish this post now?",
      text: isOut ? "What of it is not out yet goes out at once." : "It goes out on its platforms at once.",
      action: "Publish now"
    })
    if (isSure) sayFailure(await publish.run(undefined))
  }
  const scheduleIt = async () => {
    if (sayFailure(await schedule.run(undefined))) toast("It goes out at its time", { tone: "success" })
  }
  const unscheduleIt = async () => {
    if (sayFailure(await unschedule.run(undefined))) toast("It is a draft again", { tone: "success" })
  }
  const removeIt = async () => {
    const isSure = await confirm({ ...describeDeletion(post), danger: true })
    if (!isSure || !sayFailure(await remove.run(undefined))) return
    toast(post.status === "published" ? "Removed" : "Deleted")
    onDeleted()
  }

  return (
    <div class="post-actions">
      {isWaiting && can("posts:publish") && <Decide post={post} read={read} onRead={onRead} />}
      {canChange && can("posts:write") && (
        <Link class="button button-secondary" href={`/compose?post=${encodeURIComponent(post.id)}`}>
          <Icon name="pencil" />
          Edit
        </Link>
      )}
      {isPlannedDraft && !isWaiting && can("posts:write") && (
        <Button kind="primary" icon="clock" busy={schedule.isPending} onClick={() => void scheduleIt()}>
          Schedule
        </Button>
      )}
      {canChange && !isWaiting && can("posts:publish") && (
        <Button busy={publish.isPending} onClick={() => void publishNow()}>
          Publish now
        </Button>
      )}
      {post.status === "scheduled" && !isOut && can("posts:write") && (
        <Button busy={unschedule.isPending} onClick={() => void unscheduleIt()}>
          Unschedule
        </Button>
      )}
      {duplicate !== undefined && (
        <Button kind="quiet" icon="copy" busy={isCopying} onClick={() => void duplicate(post)}>
          Duplicate
        </Button>
      )}
      {!isBeingSent && can("posts:delete") && (
        <Button kind="quiet" icon="trash" busy={remove.isPending} onClick={() => void removeIt()}>
          {post.status === "published" ? "Remove" : "Delete"}
        </Button>
      )}
      {dialog}
    </div>
  )
}
