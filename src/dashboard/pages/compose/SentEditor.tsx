import { useState } from "preact/hooks"
import { formatEtag } from "../../../domain/plain/posts.ts"
import { describeFailure, describeRest, fieldError, possibleTimes } from "../../api/errors.ts"
import { isConflict, updatePost } from "../../api/postActions.ts"
import { firstWords, type PostJson, rereadPost } from "../../api/posts.ts"
import { useMutation } from "../../api/query.ts"
import { useDraft } from "../../shared/drafts/useDraft.ts"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { Link, navigate } from "../../shared/router.tsx"
import { useCopy } from "../../shared/actions/useCopy.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { TimePicker } from "../../ui/time/TimePicker.tsx"
import { withTag } from "./form.ts"
import { KeptText } from "./KeptText.tsx"
import { restoreSentForm, sentFormOf } from "./sentForm.ts"
import { TagsInput } from "./TagsInput.tsx"

export interface SentEditorProps {
  readonly post: PostJson
  /** True if nobody knows whether any of it is out. */
  readonly mayBeOut?: boolean
}

/** The editor of a post that is or may be partly out: only its time and tags can be changed. */
export const SentEditor = ({ mayBeOut = false, post }: SentEditorProps) => {
  const draft = useDraft(`sent:${post.id}`, sentFormOf(post), restoreSentForm)
  const { at, base, tags } = draft.value
  const [tagText, setTagText] = useState("")
  const [lacksTime, setLacksTime] = useState(false)
  const { duplicate, isPending: isCopying } = useCopy()
  const path = `/posts/${encodeURIComponent(post.id)}`
  const save = useMutation(
    async () => {
      const changes = { tags: withTag(tags, tagText), scheduled_at: at }
      const outcome = await updatePost(post.id, changes, base)
      if (!outcome.ok && isConflict(outcome.error)) {
        // A second save comes after the message, so it may overwrite the current version.
        const current = await rereadPost(post.id)
        if (current.ok) draft.change((form) => ({ ...form, base: formatEtag(current.data.data) }))
      }
      return outcome
    },
    { invalidates: ["/v1/posts"] }
  )
  const { error } = save
  const problem =
    error === undefined
      ? undefined
      : isConflict(error)
        ? "The post has changed since you opened it. See the post, or save again what you have here."
        : describeRest(error, ["scheduled_at", "tags"])
  const timeProblem =
    lacksTime && at === null
      ? "Choose a day and a time."
      : fieldError(error, "scheduled_at") === undefined
        ? undefined
        : possibleTimes
  const run = async () => {
    const isMissing = post.status === "scheduled" && at === null
    setLacksTime(isMissing)
    if (isMissing || save.isPending) return
    const outcome = await save.run(undefined)
    if (outcome.ok) {
      draft.clear()
      toast("Saved", { tone: "success" })
      navigate(path, { force: true })
    }
  }
  return (
    <div class="page">
      <PageHeader
        title="Edit post"
        description={`${mayBeOut ? "It may be out already" : "It is out in part"}, so its text, files and platforms stay as they are. Its time and tags can be changed.`}
      />
      <p class="compose-sent-words secondary truncate" dir="auto">
        {firstWords(post)}
      </p>
      {draft.isRestored && (
        <p class="compose-restored small">
          <span>What you typed before is back.</span>
          <Button size="small" kind="quiet" onClick={draft.clear}>
            Undo my changes
          </Button>
        </p>
      )}
      <Form class="compose-sent" onSubmit={() => void run()} problem={problem}>
        <TimePicker
          label={mayBeOut ? "Time" : "Time of the rest"}
          value={at}
          error={timeProblem}
          onChange={(chosen) => {
            draft.change((form) => ({ ...form, at: chosen }))
          }}
        />
        <TagsInput
          tags={tags}
          onTags={(changed) => {
            draft.change((form) => ({ ...form, tags: changed }))
          }}
          text={tagText}
          onText={setTagText}
          error={error !== undefined && fieldError(error, "tags") !== undefined ? describeFailure(error) : undefined}
          readOnly={save.isPending}
        />
        <div class="compose-sent-steps">
          <Button type="submit" kind="primary" busy={save.isPending}>
            Save
          </Button>
          <Link class="button button-secondary" href={path}>
            See the post
          </Link>
          {duplicate !== undefined && (
            <Button kind="quiet" icon="copy" busy={isCopying} onClick={() => void duplicate(post)}>
              Duplicate
            </Button>
          )}
        </div>
      </Form>
      <KeptText id={post.id} />
    </div>
  )
}
