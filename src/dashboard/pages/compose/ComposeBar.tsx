import { useId, useState } from "preact/hooks"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { TimePicker } from "../../ui/time/TimePicker.tsx"
import type { ComposeForm } from "./form.ts"
import type { SaveKind } from "./useSave.ts"

export interface ComposeBarProps {
  readonly form: ComposeForm
  readonly isScheduled: boolean
  readonly timeError: string | undefined
  readonly pending: SaveKind | undefined
  readonly canSave: boolean
  readonly canPublish: boolean
  readonly isAskingTime: boolean
  readonly onAskTime: (asks: boolean) => void
  readonly onTime: (at: string | null) => void
  readonly onRun: (kind: SaveKind) => void
}

/** The form takes the time immediately, so that it is checked. Closing restores the former time. */
const TimeDialog = ({ form, isScheduled, onAskTime, onRun, onTime, pending, timeError }: ComposeBarProps) => {
  const id = useId()
  const [before] = useState(form.at)
  return (
    <Dialog
      title="When should it go out?"
      size="small"
      onClose={() => {
        onTime(before)
        onAskTime(false)
      }}
      footer={
        <>
          <Button
            disabled={form.at === null}
            onClick={() => {
              onAskTime(false)
            }}
          >
            Set the time
          </Button>
          <Button kind="primary" type="submit" form={id} busy={pending === "schedule"} disabled={form.at === null}>
            {isScheduled ? "Save" : "Schedule"}
          </Button>
        </>
      }
    >
      <Form
        id={id}
        onSubmit={() => {
          if (form.at !== null && pending === undefined) onRun("schedule")
        }}
      >
        <TimePicker label="Time" isFirst value={form.at} onChange={onTime} error={timeError} />
      </Form>
    </Dialog>
  )
}

export const ComposeBar = (props: ComposeBarProps) => {
  const { canPublish, canSave, form, isAskingTime, isScheduled, onAskTime, onRun, onTime, pending, timeError } = props
  const { confirm, dialog } = useConfirm()
  const askTime = () => {
    onAskTime(true)
  }
  const publishNow = async () => {
    const isSure = await confirm({
      title: "Publish this post now?",
      text: "It goes out on its platforms immediately.",
      action: "Publish now"
    })
    if (isSure) onRun("now")
  }
  return (
    <div class="compose-bar">
      <Button
        kind={isScheduled ? "secondary" : "quiet"}
        busy={pending === "draft"}
        disabled={!canSave}
        onClick={() => {
          onRun("draft")
        }}
      >
        {isScheduled ? "Back to drafts" : "Save draft"}
      </Button>
      <div class="compose-bar-end">
        {form.at !== null && (
          <span class="compose-time">
            <Button kind="quiet" icon="clock" class={timeError && "compose-time-wrong"} onClick={askTime}>
              <Time at={form.at} />
            </Button>
            {!isScheduled && (
              <IconButton
                icon="close"
                label="Remove the time"
                onClick={() => {
                  onTime(null)
                }}
              />
            )}
          </span>
        )}
        {canPublish && (
          <Button busy={pending === "now"} disabled={!canSave} onClick={() => void publishNow()}>
            Publish now
          </Button>
        )}
        <Button
          kind="primary"
          icon={form.at === null ? "clock" : undefined}
          busy={pending === "schedule"}
          disabled={!canSave}
          onClick={() => {
            onRun("schedule")
          }}
        >
          {isScheduled ? "Save" : "Schedule"}
        </Button>
      </div>
      {isAskingTime && <TimeDialog {...props} />}
      {dialog}
    </div>
  )
}
