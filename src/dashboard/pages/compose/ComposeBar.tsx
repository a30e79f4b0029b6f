import { useId, useState } from "preact/hooks"
import { useCan } from "../../shared/me.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { TimePicker } from "../../ui/time/TimePicker.tsx"
import { NextFreeTime } from "./NextFreeTime.tsx"
import type { Editor, EditorProps } from "./useEditor.ts"

const isScheduled = ({ post }: Editor): boolean => post?.status === "scheduled"

/** Each chosen time goes into the form, so that the service checks it. Closing restores the previous time. */
const TimeDialog = ({ editor }: EditorProps) => {
  const { dispatch, issues, readOnly, save, state } = editor
  const { at } = state.form
  const id = useId()
  const [before] = useState(at)
  const setTime = (chosen: string | null) => dispatch({ type: "form", change: { at: chosen } })
  const close = () => dispatch({ type: "askTime", isAsked: false })
  return (
    <Dialog
      title="When should it go out?"
      size="small"
      onClose={() => {
        setTime(before)
        close()
      }}
      footer={
        <>
          <Button disabled={at === null} onClick={close}>
            Set the time
          </Button>
          <Button
            kind="primary"
            type="submit"
            form={id}
            busy={state.saving?.kind === "schedule"}
            disabled={at === null}
          >
            {isScheduled(editor) ? "Save" : "Schedule"}
          </Button>
        </>
      }
    >
      <Form
        id={id}
        onSubmit={() => {
          if (at !== null && !readOnly) void save("schedule")
        }}
      >
        <NextFreeTime editor={editor} />
        <TimePicker label="Time" isFirst value={at} onChange={setTime} error={issues.time} />
      </Form>
    </Dialog>
  )
}

const ChosenTime = ({ editor }: EditorProps) => {
  const { dispatch, issues, state } = editor
  const { at } = state.form
  if (at === null) return null
  return (
    <span class="compose-time">
      <Button
        kind="quiet"
        icon="clock"
        class={issues.time && "compose-time-wrong"}
        onClick={() => dispatch({ type: "askTime", isAsked: true })}
      >
        <Time at={at} />
      </Button>
      {!isScheduled(editor) && (
        <IconButton
          icon="close"
          label="Remove the time"
          onClick={() => dispatch({ type: "form", change: { at: null } })}
        />
      )}
    </span>
  )
}

export const ComposeBar = ({ editor }: EditorProps) => {
  const { isGone, platforms, save, state } = editor
  const can = useCan()
  const { confirm, dialog } = useConfirm()
  const canSave = platforms.length > 0 && !isGone
  const publishNow = async () => {
    const isSure = await confirm({
      title: "Publish this post now?",
      text: "It goes out on its platforms immediately.",
      action: "Publish now"
    })
    if (isSure) await save("now")
  }
  return (
    <div class="compose-bar">
      <Button
        kind={isScheduled(editor) ? "secondary" : "quiet"}
        busy={state.saving?.kind === "draft"}
        disabled={!canSave}
        onClick={() => void save("draft")}
      >
        {isScheduled(editor) ? "Back to drafts" : "Save draft"}
      </Button>
      <div class="compose-bar-end">
        <ChosenTime editor={editor} />
        {can("posts:publish") && (
          <Button busy={state.saving?.kind === "now"} disabled={!canSave} onClick={() => void publishNow()}>
            Publish now
          </Button>
        )}
        <Button
          kind="primary"
          icon={state.form.at === null ? "clock" : undefined}
          busy={state.saving?.kind === "schedule"}
          disabled={!canSave}
          onClick={() => void save("schedule")}
        >
          {isScheduled(editor) ? "Save" : "Schedule"}
        </Button>
      </div>
      {state.isAskingTime && <TimeDialog editor={editor} />}
      {dialog}
    </div>
  )
}
