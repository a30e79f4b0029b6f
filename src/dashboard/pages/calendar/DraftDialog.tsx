import { firstWords, type PostJson } from "../../api/posts.ts"
import { isSomewhereOut } from "../../api/postStatus.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { Time } from "../../ui/time/Time.tsx"

export interface DraftDialogProps {
  readonly post: PostJson
  readonly onDraft: () => void
  readonly onOtherTime: () => void
  readonly onClose: () => void
}

/** Asks before a scheduled post loses its time. */
export const DraftDialog = ({ onClose, onDraft, onOtherTime, post }: DraftDialogProps) => {
  const { scheduled_at: at } = post
  const isOut = isSomewhereOut(post)
  return (
    <Dialog
      title={isOut ? "It can’t become a draft" : "Make it a draft?"}
      size="small"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={isOut ? "primary" : "secondary"} onClick={onOtherTime}>
            Another time
          </Button>
          {!isOut && (
            <Button kind="primary" onClick={onDraft}>
              Make it a draft
            </Button>
          )}
        </>
      }
    >
      <p class="secondary truncate" dir="auto">
        {firstWords(post)}
      </p>
      {isOut ? (
        <p>It is out in part. The rest can go out at another time.</p>
      ) : (
        <p>
          {at !== null && (
            <>
              It is scheduled for <Time at={at} as="fixed" />.{" "}
            </>
          )}
          As a draft it has no time, and does not go out until somebody schedules it.
        </p>
      )}
    </Dialog>
  )
}
