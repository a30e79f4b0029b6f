import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { formatEtag } from "../../../domain/plain/posts.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { newIdempotencyKey } from "../../api/client.ts"
import { serviceNow } from "../../api/clock.ts"
import { useConnected } from "../../api/connection.ts"
import type { Outcome } from "../../api/errors.ts"
import { isSettled } from "../../api/idempotency.ts"
import { watchIdentity } from "../../api/identity.ts"
import { createPost, deleteRevision, isConflict, updatePost } from "../../api/postActions.ts"
import { onePost, type PostJson } from "../../api/posts.ts"
import { invalidate, setData } from "../../api/query.ts"
import { editPath } from "../../shared/actions/openers.ts"
import type { Draft } from "../../shared/drafts/useDraft.ts"
import { useMe } from "../../shared/me.ts"
import { navigate } from "../../shared/router.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { canAutosave } from "./composing.ts"
import type { Composing } from "./composingState.ts"
import {
  type Attempted,
  type ComposeForm,
  formOf,
  isEmpty,
  saysTheSame,
  toAttempted,
  toAttemptedPost,
  toPatch
} from "./form.ts"
import type { ComposingState } from "./useComposing.ts"

/** Milliseconds without typing after which a draft is saved. */
const quietMillis = 5000

/** Milliseconds between two saves while somebody types on, and after a failure. */
const longestMillis = 30_000

interface Saved {
  readonly id: string
  readonly base: string
}

/** Drafts begin with this revision. Another one is a conflict that the next save reports. */
const firstBase = formatEtag({ revision: 1, status: "draft" })

/** Creates the draft. A repetition of a lost creation sends the same key and content. */
export const createAttempted = async (form: Attempted, key: string): Promise<Outcome<Saved>> => {
  const outcome = await createPost(toAttemptedPost(form), key)
  return outcome.ok ? { ok: true, data: { id: outcome.data.id, base: firstBase } } : outcome
}

const change = async (
  { id, base }: Saved,
  sent: Attempted,
  form: ComposeForm,
  post: PostJson | undefined
): Promise<Outcome<Saved>> => {
  const { scheduled_at: at, ...rest } = toPatch(sent, sent.platforms, { status: "draft", at: sent.at }, post)
  // A time that has passed stays as it is.
  const outcome = await updatePost(id, sent.at === form.at ? { ...rest, scheduled_at: at } : rest, base)
  if (!outcome.ok) return outcome
  setData(onePost(id), outcome.data)
  return { ok: true, data: { id, base: formatEtag(outcome.data.data) } }
}

/** Only for drafts of the person's own: nobody else's text changes without being saved. */
const isOwnDraft = (post: PostJson | undefined, me: string): boolean =>
  post === undefined || (post.status === "draft" && post.approval === null && post.created_by?.id === me)

interface AutosaveOptions {
  readonly composing: ComposingState
  readonly draft: Draft<ComposeForm>
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly post: PostJson | undefined
  readonly isGone: boolean
  /** Called with the id of a new post's draft. */
  readonly onBegun: ((id: string) => void) | undefined
}

const savedForm = ({ autosaved, form }: Composing, post: PostJson | undefined): ComposeForm | undefined =>
  autosaved ?? (post === undefined || form.base === null ? undefined : formOf(post))

/** True if the service has another version than the form, or none of a form that says something. */
const findDirt = (state: Composing, platforms: ReadonlyArray<LivePlatform>, post: PostJson | undefined): boolean => {
  const saved = savedForm(state, post)
  const now = serviceNow()
  const sent = toAttempted(state.form, platforms, now)
  return saved === undefined
    ? !isEmpty(state.form)
    : !saysTheSame(sent, toAttempted(saved, saved.platforms ?? platforms, now))
}

/** Sends one save by itself. */
const useSend = ({ composing, draft, onBegun, platforms, post }: AutosaveOptions) => {
  const { dispatch, isShown, latest } = composing
  const send = async () => {
    if (!canAutosave(latest.current)) return
    const { autosaving: sent, form } = dispatch({
      type: "autosave",
      platforms,
      now: serviceNow(),
      key: newIdempotencyKey()
    })
    if (sent === undefined) return
    const id = form.id ?? post?.id
    const isNew = id === undefined || form.base === null
    const outcome = isNew
      ? await createAttempted(sent, form.attempt ?? "")
      : await change({ id, base: form.base }, sent, form, post)
    if (latest.current.isSaved) return
    if (!outcome.ok) {
      dispatch({ type: "notAutosaved", error: outcome.error, isSettled: isSettled(outcome.error) })
      // The two versions are shown when the person asks for them, and not while they type.
      if (!isConflict(outcome.error)) invalidate("/v1/posts")
      return
    }
    const { data } = outcome
    const after = dispatch({ type: "autosaved", form: sent, ...data })
    const isDirty = findDirt(after, platforms, post)
    draft.keepAs(`post:${data.id}`, !isDirty)
    if (isNew && isShown.current) onBegun?.(data.id)
    else if (isNew) {
      toast("Saved as a draft", {
        tone: "success",
        action: { label: "Continue", run: () => navigate(editPath(data.id)) }
      })
    }
    invalidate("/v1/posts")
    if (isDirty && !isShown.current) await send()
  }
  return send
}

/** A draft that was saved by itself and then left empty is removed. */
const removeEmpty = async ({ base, id = "" }: ComposeForm, clear: () => void) => {
  if (base === null) return
  const outcome = await deleteRevision(id, base)
  if (outcome.ok) clear()
  invalidate("/v1/posts")
}

/** Saves once more when the person leaves the page, unless they log out. */
const useSaveOnLeave = (leave: () => void) => {
  const latest = useRef(leave)
  latest.current = leave
  useLayoutEffect(() => {
    const isSamePerson = watchIdentity()
    return () => {
      if (isSamePerson()) latest.current()
    }
  }, [])
}

/**
 * Saves drafts without being asked: five seconds after the last key, and every half minute while somebody types on.
 * Returns true if there is something that the service does not have.
 */
export const useAutosave = (options: AutosaveOptions) => {
  const { composing, draft, isGone, platforms, post } = options
  const { latest, state } = composing
  const { caller } = useMe()
  const isConnected = useConnected()
  const send = useSend(options)
  const isOn = !state.isLocked && !isGone && platforms.length > 0 && isOwnDraft(post, caller.id)
  const isDirty = !state.isSaved && findDirt(state, platforms, post)
  const text = JSON.stringify(toAttempted(state.form, platforms, serviceNow()))
  /** The text as it was restored, which is saved only once it is changed. */
  const restored = useRef(text)
  const isTouched = useRef(false)
  isTouched.current ||= text !== restored.current
  /** In milliseconds since 1970: the first change that is not saved. */
  const since = useRef<number | undefined>(undefined)
  const refused = useRef<string | undefined>(undefined)
  if (state.unsaved !== undefined && isSettled(state.unsaved)) refused.current ??= text
  else refused.current = undefined
  const isReady = isOn && isDirty && isTouched.current && isConnected && canAutosave(state) && refused.current !== text
  useEffect(() => {
    if (!isReady) return undefined
    since.current ??= Date.now()
    const isRepeated = state.unsaved !== undefined && refused.current === undefined
    const wait = isRepeated ? longestMillis : Math.min(quietMillis, since.current + longestMillis - Date.now())
    const timer = setTimeout(() => {
      since.current = undefined
      refused.current = undefined
      void send()
    }, wait)
    return () => clearTimeout(timer)
  }, [isReady, text, state.unsaved])
  useSaveOnLeave(() => {
    const { current } = latest
    if (!isOn || current.isSaved || current.saving !== undefined) return
    if (current.form.id !== undefined && isEmpty(current.form)) void removeEmpty(current.form, draft.clear)
    else if (isTouched.current && findDirt(current, platforms, post)) void send()
  })
  return { isAutosaved: isOn, isDirty }
}
