import { describeFailure, describeRest, findIssue, possibleTimes } from "../../api/errors.ts"
import { isConflict } from "../../api/postActions.ts"
import { firstWords, type PostJson } from "../../api/posts.ts"
import { useCopy } from "../../shared/actions/useCopy.ts"
import { useDraft } from "../../shared/drafts/useDraft.ts"
import { useTabDraftKey } from "../../shared/drafts/useTabDraftKey.ts"
import { PageHeader } from "../../shared/page/PageHeader.tsx"
import { PlannedTime, plannedAs } from "../../shared/plan/PlannedTime.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Form } from "../../ui/controls/Form.tsx"
import { Loading } from "../../ui/display/Skeleton.tsx"
import type { Session } from "./composingState.ts"
import { formOf, restoreLocked, saysTheSame } from "./form.ts"
import { KeptText, OtherTabNote, RestoredNote } from "./KeptText.tsx"
import { TagsInput } from "./TagsInput.tsx"
import { useComposer } from "./useComposer.ts"
import { useLeaveQuestion } from "./useLeaveQuestion.tsx"

export interface SentEditorProps {
  readonly post: PostJson
  /** True if it is not known whether any part was published. */
  readonly mayBeOut?: boolean
}

const describeProblem = ({ failure }: Session): string | undefined =>
  failure !== undefined && isConflict(failure)
    ? "The post has changed since you opened it. See the post, or save again what you have here."
    : describeRest(failure, ["scheduled_at", "tags"])

/** For a post of which parts are, or may be, published. Only its time and tags can change. */
export const SentEditor = (props: SentEditorProps) => {
  const draftKey = useTabDraftKey(`sent:${props.post.id}`, { hasText: (kept) => kept !== null, isReleased: true })
  return draftKey === undefined ? <Loading /> : <SentEditorOf {...props} draftKey={draftKey} />
}

const SentEditorOf = ({ draftKey, mayBeOut = false, post }: SentEditorProps & { readonly draftKey: string }) => {
  const draft = useDraft(draftKey, formOf(post), {
    restore: restoreLocked,
    isUnchanged: (form, initial) => form.base === initial.base && saysTheSame(form, initial)
  })
  const composer = useComposer({ draft, connected: [], post, isLocked: true })
  const { dispatch, save, startFrom, state } = composer
  const { failure, form, isAskingTime } = state
  const leaving = useLeaveQuestion(composer, post)
  const { duplicate, isPending: isCopying } = useCopy()
  const timeProblem =
    isAskingTime && form.at === null && post.status === "scheduled"
      ? "Choose a day and a time."
      : findIssue(failure, "scheduled_at") && possibleTimes
  const tagProblem =
    failure !== undefined && findIssue(failure, "tags") !== undefined ? describeFailure(failure) : undefined
  return (
    <div class="page">
      <PageHeader
        title="Edit post"
        description={`${mayBeOut ? "It may be out already" : "It is out in part"}, so its text, files and platforms stay as they are. Its time and tags can be changed.`}
      />
      <p class="compose-sent-words secondary truncate" dir="auto">
        {firstWords(post)}
      </p>
      {draft.hasOther && <OtherTabNote />}
      {draft.isRestored && <RestoredNote isNew={false} onUndo={() => startFrom(undefined)} />}
      <Form
        class="compose-sent"
        onSubmit={() => void save(post.status === "scheduled" ? "schedule" : "draft")}
        problem={describeProblem(state)}
      >
        <PlannedTime
          {...plannedAs(post)}
          label={mayBeOut ? "Time" : "Time of the rest"}
          value={form.at}
          error={timeProblem}
          onChange={(at) => dispatch({ type: "form", change: { at } })}
        />
        <TagsInput composer={composer} error={tagProblem} />
        <div class="compose-sent-steps">
          <Button type="submit" kind="primary" busy={state.saving !== undefined}>
            Save
          </Button>
          <Link class="button button-secondary" href={`/posts/${encodeURIComponent(post.id)}`}>
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
      {leaving}
    </div>
  )
}
