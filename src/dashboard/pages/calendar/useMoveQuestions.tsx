import type { RefObject } from "preact"
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { type MoveQuestion, questionOf } from "./moveQuestion.ts"
import type { MoveQuestions } from "./MoveQuestions.tsx"
import type { CalendarPosts } from "./useCalendarPosts.ts"

interface Asked {
  readonly id: string
  readonly question: MoveQuestion | undefined
}

let loaded: typeof MoveQuestions | undefined

const load = async () => {
  loaded ??= (await import("./MoveQuestions.tsx")).MoveQuestions
}

/** Loads the dialogs once the person begins to use the calendar, so that a key opens them without a wait. */
const useDialogs = (root: RefObject<HTMLElement | null>, isAsked: boolean, giveUp: () => void) => {
  const [, render] = useState(0)
  useLayoutEffect(() => {
    const stopped = new AbortController()
    const options = { once: true, signal: stopped.signal }
    const prepare = async () => {
      try {
        await load()
      } catch {
        // Reported once the dialog is needed.
      }
    }
    root.current?.addEventListener("focusin", () => void prepare(), options)
    root.current?.addEventListener("pointerdown", () => void prepare(), options)
    return () => stopped.abort()
  }, [root])
  const isNeeded = isAsked && loaded === undefined
  useEffect(() => {
    if (!isNeeded) return
    const show = async () => {
      try {
        await load()
        render((count) => count + 1)
      } catch {
        giveUp()
        toast("The dialog couldn’t be loaded. Check the connection, and reload the page.", { tone: "error" })
      }
    }
    void show()
  }, [isNeeded])
  return loaded
}

/** Moves posts, and asks first if the time has passed or a scheduled post would lose its time. */
export const useMoveQuestions = (root: RefObject<HTMLElement | null>, { find, makeDraft, move }: CalendarPosts) => {
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const post = asked && find(asked.id)
  const Dialogs = useDialogs(root, post !== undefined, close)
  const moveOrAsk = (moved: PostJson, to: Date | null) => {
    const question = questionOf(moved, to, new Date())
    if (question === undefined) move(moved, to)
    else setAsked({ id: moved.id, question })
  }
  return {
    move: moveOrAsk,
    ask: ({ id }: PostJson) => setAsked({ id, question: undefined }),
    dialog: asked !== undefined && post !== undefined && Dialogs !== undefined && (
      <Dialogs post={post} question={asked.question} onMove={moveOrAsk} onDraft={makeDraft} onClose={close} />
    )
  }
}
