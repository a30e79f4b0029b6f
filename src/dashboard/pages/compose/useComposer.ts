import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { formatEtag } from "../../../domain/plain/posts.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { newIdempotencyKey } from "../../api/client.ts"
import { serviceNow } from "../../api/clock.ts"
import type { Failure } from "../../api/errors.ts"
import { isSettled } from "../../api/idempotency.ts"
import { createPost, isConflict, updatePost } from "../../api/postActions.ts"
import { type PostJson, rereadPost } from "../../api/posts.ts"
import { invalidate } from "../../api/query.ts"
import type { Draft } from "../../shared/drafts/useDraft.ts"
import { sayFailure } from "../../shared/report.ts"
import { cameFrom, navigate } from "../../shared/router.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { formatTimeInSentence } from "../../ui/time/time.ts"
import {
  type Action,
  afterSave,
  type Composing,
  findObstacle,
  isFixed,
  newSession,
  reduce,
  type SaveKind,
  type Saving,
  wholeForm
} from "./composing.ts"
import { type ComposeForm, inNextSlot, toNewPost, toPatch } from "./form.ts"
import { type ComposePart, isBlankPart, maxParts, partsOf } from "./parts.ts"
import { useUploads } from "./useUploads.ts"

export interface ComposerOptions {
  readonly draft: Draft<ComposeForm>
  /** Used if the form names no platforms. */
  readonly connected: ReadonlyArray<LivePlatform>
  readonly post: PostJson | undefined
  readonly isLocked?: boolean
}

/** The state outlives the page, because a response may still arrive. */
const useComposing = (draft: Draft<ComposeForm>, isLocked: boolean) => {
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

const savedWords = ({ at, kind }: Saving): string => {
  if (kind === "now") return "It goes out now"
  return kind === "schedule" && at !== null
    ? `Scheduled for ${formatTimeInSentence(new Date(at), new Date())}`
    : "Saved as a draft"
}

interface Target extends Pick<ComposerOptions, "isLocked" | "post"> {
  readonly platforms: ReadonlyArray<LivePlatform>
}

const send = async (form: ComposeForm, { at, key, kind }: Saving, { isLocked = false, platforms, post }: Target) => {
  const order = { status: kind === "draft" ? "draft" : "scheduled", at } as const
  const takesSlot = at !== null && at === form.slot
  if (post === undefined) {
    const body = toNewPost(form, platforms, order)
    return createPost(takesSlot ? inNextSlot(body) : body, key)
  }
  const patch = isLocked ? { tags: form.tags, scheduled_at: at } : toPatch(form, platforms, order, post)
  const outcome = await updatePost(post.id, takesSlot ? inNextSlot(patch) : patch, form.base ?? formatEtag(post))
  return outcome.ok ? ({ ok: true, data: outcome.data.data } as const) : outcome
}

const useSave = (composing: ReturnType<typeof useComposing>, clear: () => void, target: Target) => {
  const { dispatch, isShown, latest } = composing
  const { isLocked = false, post } = target
  const finish = () => {
    dispatch({ type: "saved" })
    clear()
  }
  const leave = (id: string, saved: Saving) => {
    const path = `/posts/${encodeURIComponent(id)}`
    const next = isLocked ? path : afterSave(path, cameFrom())
    const see = () => navigate(path)
    finish()
    const action = next === path ? {} : { action: { label: "See it", run: see } }
    toast(isLocked ? "Saved" : savedWords(saved), { tone: "success", ...action })
    if (isShown.current) navigate(next, { force: true })
  }
  const refuse = async (error: Failure) => {
    if (!isConflict(error) || post === undefined) {
      dispatch({ type: "refused", error, isSettled: isSettled(error) })
      return
    }
    dispatch({ type: "reread" })
    const current = await rereadPost(post.id)
    dispatch({ type: "conflict", error, theirs: current.ok ? current.data.data : undefined })
    if (!current.ok && !isLocked) sayFailure(current.error)
  }
  const save = async (kind: SaveKind) => {
    const { saving: earlier } = latest.current
    const asked = dispatch({ type: "save", kind, now: serviceNow().toISOString(), key: newIdempotencyKey() })
    const obstacle = findObstacle(asked, kind)
    if (obstacle !== undefined) toast(obstacle, { tone: "error" })
    if (earlier !== undefined || asked.saving === undefined) return
    const outcome = await send(wholeForm(asked), asked.saving, target)
    if (outcome.ok) leave(outcome.data.id, { ...asked.saving, at: outcome.data.scheduled_at })
    else await refuse(outcome.error)
    invalidate("/v1/posts")
  }
  return { save, finish }
}

/** A form's state until it is saved, with its uploads and saves. */
export const useComposer = ({ connected, draft, isLocked = false, post }: ComposerOptions) => {
  const composing = useComposing(draft, isLocked)
  const { dispatch, isShown, state } = composing
  const { form } = state
  const parts = partsOf(form)
  const platforms = form.platforms ?? connected
  const startFrom = (other: ComposeForm | undefined) => {
    if (other === undefined) draft.clear()
    else draft.startFrom(other)
    dispatch({ type: "restarted" })
  }
  const removePart = (part: ComposePart, index: number) => {
    dispatch({ type: "remove", key: part.key })
    if (isBlankPart(part)) return
    const undo = () => {
      if (isShown.current) dispatch({ type: "putBack", part, index })
    }
    toast(`Part ${index + 1} is removed`, { action: { label: "Undo", run: undo } })
  }
  return {
    ...useUploads(state.uploads, dispatch),
    ...useSave(composing, draft.clear, { isLocked, platforms, post }),
    state,
    dispatch,
    parts,
    platforms,
    /** Removing a platform closes its tab. */
    tab: state.tab !== "all" && !platforms.includes(state.tab) ? "all" : state.tab,
    isFull: parts.length >= maxParts,
    /** True during a save, because later input would be lost. */
    readOnly: isFixed(state),
    removePart,
    startFrom
  }
}

export type Composer = ReturnType<typeof useComposer>
