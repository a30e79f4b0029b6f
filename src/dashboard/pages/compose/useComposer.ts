import { useLayoutEffect, useState } from "preact/hooks"
import { hasThreads } from "../../../domain/plain/platforms.ts"
import { formatEtag } from "../../../domain/plain/posts.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { newIdempotencyKey } from "../../api/client.ts"
import { serviceNow } from "../../api/clock.ts"
import { describeFailure, type Failure } from "../../api/errors.ts"
import { isSettled } from "../../api/idempotency.ts"
import { createPost, isConflict, updatePost } from "../../api/postActions.ts"
import { type PostJson, rereadPost } from "../../api/posts.ts"
import { isAwaitingApproval } from "../../api/postStatus.ts"
import { invalidate } from "../../api/query.ts"
import type { Draft } from "../../shared/drafts/useDraft.ts"
import { cameFrom, navigate } from "../../shared/router.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { formatFixedTime } from "../../ui/time/time.ts"
import { useChosenTime } from "../../ui/time/useChosenTime.ts"
import { afterSave, findObstacle, findWait, isFixed, wholeForm } from "./composing.ts"
import { type SaveKind, savesDraft, type Saving } from "./composingState.ts"
import { type ComposeForm, emptyForm, inNextSlot, toNewPost, toPatch } from "./form.ts"
import { type ComposePart, isBlankPart, maxParts, partsOf } from "./parts.ts"
import { createAttempted, useAutosave } from "./useAutosave.ts"
import { type ComposingState, useComposing } from "./useComposing.ts"
import { useUploads } from "./useUploads.ts"

export interface ComposerOptions {
  readonly draft: Draft<ComposeForm>
  /** Used if the form names no platforms. */
  readonly connected: ReadonlyArray<LivePlatform>
  readonly post: PostJson | undefined
  readonly isLocked?: boolean
  readonly isGone?: boolean
  /** Called with the id of the draft as which a new post was saved by itself. */
  readonly onBegun?: ((id: string) => void) | undefined
}

/** `wanted` is the time that was chosen, which another post may have taken since then. */
const savedWords = ({ at, kind }: Saving, wanted: string | null, post: PostJson | undefined): string => {
  if (kind === "now") return "It goes out now"
  if (kind === "keep") return "Saved. It still waits for approval."
  const verb = post !== undefined && isAwaitingApproval(post) ? "Approved" : "Scheduled"
  if (kind !== "schedule" || at === null) return "Saved as a draft"
  const now = new Date()
  const done = `${verb} for ${formatFixedTime(new Date(at), now)}`
  return wanted === null || Date.parse(wanted) === Date.parse(at)
    ? done
    : `${done}, because ${formatFixedTime(new Date(wanted), now)} was taken meanwhile`
}

interface Target extends Pick<ComposerOptions, "isLocked" | "post"> {
  readonly platforms: ReadonlyArray<LivePlatform>
}

const send = async (form: ComposeForm, { at, key, kind }: Saving, { isLocked = false, platforms, post }: Target) => {
  const order = { status: savesDraft(kind) ? "draft" : "scheduled", at } as const
  const takesSlot = at !== null && at === form.slot
  const id = form.id ?? post?.id
  if (id === undefined) {
    const body = toNewPost(form, platforms, order)
    return createPost(takesSlot ? inNextSlot(body) : body, key)
  }
  const patch = isLocked ? { tags: form.tags, scheduled_at: at } : toPatch(form, platforms, order, post)
  const timed = takesSlot ? inNextSlot(patch) : patch
  const kept = kind === "keep" ? { ...timed, keep_approval_request: true } : timed
  const outcome = await updatePost(id, kept, form.base ?? (post === undefined ? "" : formatEtag(post)))
  return outcome.ok ? ({ ok: true, data: outcome.data.data } as const) : outcome
}

const useSave = (composing: ComposingState, clear: () => void, target: Target) => {
  const { dispatch, isShown, latest } = composing
  const { isLocked = false, post } = target
  const finish = () => {
    dispatch({ type: "saved" })
    clear()
  }
  const leave = (id: string, saved: Saving, wanted: string | null) => {
    const path = `/posts/${encodeURIComponent(id)}`
    const next = isLocked ? path : afterSave(path, cameFrom())
    const see = () => navigate(path)
    finish()
    const action = next === path ? {} : { action: { label: "See it", run: see } }
    toast(isLocked ? "Saved" : savedWords(saved, wanted, post), { tone: "success", ...action })
    if (isShown.current) navigate(next, { force: true })
  }
  const refuse = async (error: Failure) => {
    const id = latest.current.form.id ?? post?.id
    if (!isConflict(error) || id === undefined) {
      dispatch({ type: "refused", error, isSettled: isSettled(error) })
      return
    }
    dispatch({ type: "reread" })
    const current = await rereadPost(id)
    dispatch({ type: "conflict", error, theirs: current.ok ? current.data.data : undefined })
    if (!current.ok && !isLocked) toast(describeFailure(current.error), { tone: "error" })
  }
  /** A draft whose creation by itself has no response yet is created first, so that there is one post. */
  const sendAfterCreation = async (saving: Saving) => {
    const { attempt, attempted } = latest.current.form
    if (attempt !== undefined && attempted !== undefined) {
      const created = await createAttempted(attempted, attempt)
      if (!created.ok) return created
      dispatch({ type: "autosaved", form: attempted, ...created.data })
    }
    return send(wholeForm(latest.current), saving, target)
  }
  const save = async (kind: SaveKind) => {
    const { saving: earlier } = latest.current
    const asked = dispatch({ type: "save", kind, now: serviceNow().toISOString(), key: newIdempotencyKey() })
    const obstacle = findObstacle(asked, kind)
    if (obstacle !== undefined) toast(obstacle, { tone: "error" })
    if (earlier !== undefined || asked.saving === undefined) return
    const outcome = await sendAfterCreation(asked.saving)
    if (outcome.ok) leave(outcome.data.id, { ...asked.saving, at: outcome.data.scheduled_at }, asked.saving.at)
    else await refuse(outcome.error)
    invalidate("/v1/posts")
  }
  /** Shows the other version that a save by itself met. */
  const compare = () => {
    const { unsaved } = latest.current
    return unsaved === undefined ? Promise.resolve() : refuse(unsaved)
  }
  return { save, finish, compare }
}

/** Saves once there is nothing to wait for. */
const useWaiting = ({ state }: ComposingState, save: (kind: SaveKind) => Promise<void>) => {
  const { waiting } = state
  const isOver = waiting !== undefined && findWait(state, waiting) === undefined
  useLayoutEffect(() => {
    if (isOver) void save(waiting)
  }, [isOver])
}

/** A form's state until it is saved, with its uploads and saves. */
export const useComposer = (options: ComposerOptions) => {
  const { connected, draft, isGone = false, isLocked = false, onBegun, post } = options
  const composing = useComposing(draft, isLocked)
  const { dispatch, isShown, state } = composing
  const { form } = state
  const parts = partsOf(form)
  const platforms = form.platforms ?? connected
  const saves = useSave(composing, draft.clear, { isLocked, platforms, post })
  useWaiting(composing, saves.save)
  // The time of an opened post is an instant that nobody has chosen here.
  const [own] = useState(post?.scheduled_at)
  useChosenTime(form.at === own ? null : form.at, (at) => dispatch({ type: "form", change: { at } }))
  const startFrom = (other: ComposeForm | undefined) => {
    const { base, id } = form
    if (other !== undefined) draft.startFrom(id === undefined ? other : { ...other, id })
    // The draft that is emptied is removed when the person leaves.
    else if (id !== undefined) draft.change(() => ({ ...emptyForm(null), base, id }))
    else draft.clear()
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
    ...useAutosave({ composing, draft, isGone, onBegun, platforms, post }),
    ...saves,
    state,
    dispatch,
    parts,
    platforms,
    /** Removing a platform closes its tab. */
    tab: state.tab !== "all" && !platforms.includes(state.tab) ? "all" : state.tab,
    isFull: parts.length >= maxParts,
    /** False if no chosen platform has threads. */
    canThread: platforms.length === 0 || platforms.some(hasThreads),
    /** True during a save, because later input would be lost. */
    readOnly: isFixed(state),
    removePart,
    startFrom
  }
}

export type Composer = ReturnType<typeof useComposer>
