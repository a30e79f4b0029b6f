import { useState } from "preact/hooks"
import { firstWords, type PostJson } from "../../api/posts.ts"
import { timePassed } from "../../shared/actions/move.ts"
import { move } from "../../shared/actions/openers.ts"
import { PlannedTime, plannedAs } from "../../shared/plan/PlannedTime.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { addDays } from "../../ui/time/time.ts"
import { useNow } from "../../ui/time/Time.tsx"
import { chosenInstant } from "../../ui/time/zone.ts"
import { timeInSlot } from "./range.ts"

export interface MoveDialogProps {
  readonly post: PostJson
  /** Set if the time that the person chose has passed. */
  readonly proposed?: string | undefined
  readonly onMove: (post: PostJson, to: Date | null) => void
  readonly onClose: () => void
}

/** Moves a post without dragging it. */
export const MoveDialog = ({ onClose, onMove, post, proposed }: MoveDialogProps) => {
  const now = useNow()
  const { scheduled_at: at } = post
  const [value, setValue] = useState<string | null>(
    proposed ?? at ?? chosenInstant(timeInSlot({ day: addDays(now, 1) }, null))
  )
  const [tried, setTried] = useState(false)
  const chosen = value === null ? undefined : new Date(value)
  const problem = chosen === undefined ? "Choose a day and a time." : chosen < now ? timePassed : undefined
  const finish = (to: Date | null) => {
    onClose()
    onMove(post, to)
  }
  return (
    <Dialog
      title={move.label}
      size="small"
      onClose={onClose}
      footer={
        <>
          {post.status === "draft" && at !== null && (
            <Button kind="quiet" onClick={() => finish(null)}>
              Remove the time
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="calendar-move">
            Move
          </Button>
        </>
      }
    >
      <Form
        id="calendar-move"
        class="calendar-move"
        onSubmit={() => {
          if (chosen !== undefined && problem === undefined) finish(chosen)
          else setTried(true)
        }}
      >
        <p class="secondary truncate" dir="auto">
          {firstWords(post)}
        </p>
        {proposed !== undefined && <p>That time has passed. Choose another one.</p>}
        <PlannedTime
          {...plannedAs(post)}
          label="Day and time"
          value={value}
          onChange={setValue}
          error={tried ? problem : undefined}
          isFirst
        />
      </Form>
    </Dialog>
  )
}
