import { useId, useLayoutEffect, useState } from "preact/hooks"
import { isAwaitingApproval } from "../../api/postStatus.ts"
import { approve } from "../../shared/actions/decide.ts"
import { PlannedTime } from "../../shared/plan/PlannedTime.tsx"
import { useCan } from "../../shared/me.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { useChosenTime } from "../../ui/time/useChosenTime.ts"
import { findWait } from "./composing.ts"
import { NextFreeTime } from "./NextFreeTime.tsx"
import type { Editor, EditorProps } from "./useEditor.ts"

const isScheduled = ({ post }: Editor): boolean => post?.status === "scheduled"

const scheduleLabel = ({ post }: Editor): string => {
  if (post === undefined || post.status === "draft")
    return post !== undefined && isAwaitingApproval(post) ? approve.label : "Schedule"
  return "Save"
}

/** Each chosen time goes into the form, so that the service checks it. Closing restores the previous time. */
export const TimeDialog = ({ editor }: EditorProps) => {
  const { dispatch, issues, post, readOnly, save, state } = editor
  const { at } = state.form
  const id = useId()
  const [before, setBefore] = useState(at)
  useChosenTime(before === post?.scheduled_at ? null : before, setBefore)
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
            {scheduleLabel(editor)}
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
        <PlannedTime
          label="Time"
          isFirst
          value={at}
          onChange={setTime}
          error={issues.time}
          platforms={editor.platforms}
          postId={state.form.id ?? post?.id}
        />
      </Form>
    </Dialog>
  )
}

export const ChosenTime = ({ editor }: EditorProps) => {
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

const waits = {
  upload: "as soon as the upload is done",
  file: "as soon as the file is processed",
  save: "in a moment"
} as const

const promises = { draft: "Saved", keep: "Saved", schedule: "Scheduled", now: "Published" } as const

/** A save that waits, with its cancel button, or where the text is kept so far. */
export const Progress = ({ editor: { dispatch, isAutosaved, isDirty, post, state } }: EditorProps) => {
  const { autosaved, autosaving, unsaved, waiting } = state
  if (waiting !== undefined) {
    return (
      <span class="compose-saving secondary small">
        <span role="status">
          {promises[waiting]} {waits[findWait(state, waiting) ?? "save"]}
        </span>
        <Button size="small" kind="quiet" onClick={() => dispatch({ type: "stopWaiting" })}>
          Cancel
        </Button>
      </span>
    )
  }
  const text =
    autosaving !== undefined
      ? "Saving…"
      : isDirty && unsaved !== undefined
        ? "Only in this browser so far"
        : isDirty && !isAutosaved && post !== undefined
          ? "Not saved yet"
          : !isDirty && autosaved !== undefined
            ? "Saved as a draft"
            : ""
  return text === "" ? null : <span class="compose-saving secondary small">{text}</span>
}

export const ComposeBar = ({ editor }: EditorProps) => {
  const { isGone, isRefused, platforms, save, state } = editor
  const can = useCan()
  const { confirm, dialog, withdraw } = useConfirm()
  const canSave = platforms.length > 0 && !isGone
  // The service may find a fault while the question is open, which would cover it.
  useLayoutEffect(() => {
    if (isRefused) withdraw()
  }, [isRefused])
  const publishNow = async () => {
    if (isRefused) {
      toast("It can’t be published like this. See what is marked.", { tone: "error" })
      return
    }
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
      <Progress editor={editor} />
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
          busy={state.saving?.kind === "schedule" || state.waiting === "schedule"}
          disabled={!canSave}
          onClick={() => void save("schedule")}
        >
          {scheduleLabel(editor)}
        </Button>
      </div>
      {state.isAskingTime && <TimeDialog editor={editor} />}
      {dialog}
    </div>
  )
}
