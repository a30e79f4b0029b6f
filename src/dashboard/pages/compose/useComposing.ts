import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Draft } from "../../shared/drafts/useDraft.ts"
import { type Action, reduce } from "./composing.ts"
import { type Composing, newSession } from "./composingState.ts"
import type { ComposeForm } from "./form.ts"

/** The state outlives the page, because a response may still arrive. */
export const useComposing = (draft: Draft<ComposeForm>, isLocked: boolean) => {
  const latest = useRef<Composing>({ ...newSession, isLocked, form: draft.value })
  const [, render] = useState(0)
  /** False once the person has gone to another page. */
  const isShown = useRef(true)
  // The cleanup of `useEffect` waits for the next frame. A response may arrive before that.
  useLayoutEffect(
    () => () => {
      isShown.current = false
    },
    []
  )
  const dispatch = (action: Action): Composing => {
    draft.change((form) => {
      latest.current = reduce({ ...latest.current, form }, action)
      return latest.current.form
    })
    render((count) => count + 1)
    return latest.current
  }
  return { state: { ...latest.current, form: draft.value }, latest, isShown, dispatch }
}

export type ComposingState = ReturnType<typeof useComposing>
