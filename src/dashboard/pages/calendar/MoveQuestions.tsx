import { useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { DraftDialog } from "./DraftDialog.tsx"
import { MoveDialog } from "./MoveDialog.tsx"
import type { MoveQuestion } from "./moveQuestion.ts"

export interface MoveQuestionsProps {
  readonly post: PostJson
  /** Undefined if the person asked for the dialog. */
  readonly question: MoveQuestion | undefined
  readonly onMove: (post: PostJson, to: Date | null) => void
  readonly onDraft: (post: PostJson) => void
  readonly onClose: () => void
}

export const MoveQuestions = ({ onClose, onDraft, onMove, post, question }: MoveQuestionsProps) => {
  const [wantsTime, setWantsTime] = useState(false)
  if (question?.kind === "draft" && !wantsTime) {
    const makeDraft = () => {
      onClose()
      onDraft(post)
    }
    return <DraftDialog post={post} onDraft={makeDraft} onOtherTime={() => setWantsTime(true)} onClose={onClose} />
  }
  const proposed = question?.kind === "passed" ? question.proposed : undefined
  return <MoveDialog post={post} proposed={proposed} onMove={onMove} onClose={onClose} />
}
