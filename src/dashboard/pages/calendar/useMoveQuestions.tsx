import { useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { lazily } from "../../shared/lazily.tsx"
import { type MoveQuestion, questionOf } from "./moveQuestion.ts"
import type { MoveQuestionsProps } from "./MoveQuestions.tsx"
import type { CalendarPosts } from "./useCalendarPosts.ts"

const Dialogs = lazily<MoveQuestionsProps>("The dialog", async () => (await import("./late/late.ts")).MoveQuestions)

interface Asked {
  readonly id: string
  readonly question: MoveQuestion | undefined
}

/** Moves posts, and asks first if the time has passed or a scheduled post would lose its time. */
export const useMoveQuestions = ({ find, makeDraft, move }: CalendarPosts) => {
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const post = asked && find(asked.id)
  const moveOrAsk = (moved: PostJson, to: Date | null) => {
    const question = questionOf(moved, to, new Date())
    if (question === undefined) move(moved, to)
    else setAsked({ id: moved.id, question })
  }
  return {
    move: moveOrAsk,
    ask: ({ id }: PostJson) => setAsked({ id, question: undefined }),
    dialog: asked !== undefined && post !== undefined && (
      <Dialogs post={post} question={asked.question} onMove={moveOrAsk} onDraft={makeDraft} onClose={close} />
    )
  }
}
