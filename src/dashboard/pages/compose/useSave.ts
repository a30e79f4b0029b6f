import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { newIdempotencyKey } from "../../api/client.ts"
import { serviceNow } from "../../api/clock.ts"
import type { ApiError, Failure, Outcome } from "../../api/errors.ts"
import { describeFailure } from "../../api/errors.ts"
import { isSettled } from "../../api/idempotency.ts"
import { createPost, isConflict, updatePost } from "../../api/postActions.ts"
import { formatEtag } from "../../../domain/plain/posts.ts"
import { type PostJson, rereadPost } from "../../api/posts.ts"
import { invalidate } from "../../api/query.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { formatTimeInSentence } from "../../ui/time/time.ts"
import { type ComposeForm, type Order, toNewPost, toPatch } from "./form.ts"

export type SaveKind = "draft" | "schedule" | "now"

export interface SaveOptions {
  readonly form: ComposeForm
  readonly platforms: ReadonlyArray<LivePlatform>
  /** Undefined for a new post. */
  readonly post: PostJson | undefined
  readonly rebase: (base: string) => void
  /** Keeps a creation's key, so that a repetition uses it even after a reload or with another text. */
  readonly keepAttempt: (key: string | undefined) => void
  readonly onSaved: (id: string, words: string, isShown: boolean) => void
}

const savedWords = (kind: SaveKind, at: string | null): string => {
  if (kind === "now") return "It goes out now"
  return kind === "schedule" && at !== null
    ? `Scheduled for ${formatTimeInSentence(new Date(at), new Date())}`
    : "Saved as a draft"
}

const hasFields = (error: Failure): error is ApiError => error._tag === "ApiError" && error.errors.length > 0

const isAboutTime = (error: Failure): boolean =>
  hasFields(error) && error.errors.some(({ path }) => path[0] === "schedule_at" || path[0] === "scheduled_at")

export const useSave = ({ form, keepAttempt, onSaved, platforms, post, rebase }: SaveOptions) => {
  const [pending, setPending] = useState<SaveKind>()
  const [failure, setFailure] = useState<Failure>()
  const [theirs, setTheirs] = useState<PostJson>()
  const [isAskingTime, setAskingTime] = useState(false)
  /** True until the person goes to another page. */
  const isShown = useRef(true)
  // A plain effect's cleanup waits for the next frame, and a response may come before it.
  useLayoutEffect(
    () => () => {
      isShown.current = false
    },
    []
  )
  /** The time of the first "publish now": a repetition must send the same time. */
  const now = useRef<string | undefined>(undefined)

  /** If the first attempt arrived, the service refuses another text with the same key. */
  const create = async (order: Order) => {
    const key = form.attempt ?? newIdempotencyKey()
    keepAttempt(key)
    const outcome = await createPost(toNewPost(form, platforms, order), key)
    if (!outcome.ok && isSettled(outcome.error)) keepAttempt(undefined)
    return outcome
  }

  const send = (order: Order, base: string | null): Promise<Outcome<{ readonly id: string }>> => {
    if (post === undefined) return create(order)
    const patch = (body: ReturnType<typeof toPatch>) => updatePost(post.id, body, base ?? formatEtag(post))
    return patch(toPatch(form, platforms, order, post)).then((outcome) =>
      outcome.ok ? { ok: true, data: { id: outcome.data.data.id } } : outcome
    )
  }

  const showCurrent = async (id: string) => {
    const outcome = await rereadPost(id)
    if (outcome.ok) setTheirs(outcome.data.data)
    else toast(describeFailure(outcome.error), { tone: "error" })
  }

  const run = async (kind: SaveKind, base = form.base) => {
    if (pending !== undefined) return
    if (kind === "schedule" && form.at === null) {
      setAskingTime(true)
      return
    }
    setPending(kind)
    setFailure(undefined)
    now.current = kind === "now" ? (now.current ?? serviceNow().toISOString()) : undefined
    const at = now.current ?? form.at
    const outcome = await send({ status: kind === "draft" ? "draft" : "scheduled", at }, base)
    setPending(undefined)
    if (outcome.ok || isSettled(outcome.error)) now.current = undefined
    if (outcome.ok) {
      setAskingTime(false)
      onSaved(outcome.data.id, savedWords(kind, at), isShown.current)
    } else if (isConflict(outcome.error) && post !== undefined) {
      setAskingTime(false)
      await showCurrent(post.id)
    } else {
      setFailure(outcome.error)
      if (isAboutTime(outcome.error)) setAskingTime(true)
    }
    invalidate("/v1/posts")
  }

  return {
    run,
    pending,
    isPending: pending !== undefined,
    failure: failure !== undefined && hasFields(failure) ? undefined : failure,
    issues: failure !== undefined && hasFields(failure) ? failure.errors : [],
    isAskingTime,
    askTime: setAskingTime,
    theirs,
    showConflict: setTheirs,
    dismissConflict: () => {
      setTheirs(undefined)
    },
    keepMine: () => {
      if (theirs === undefined) return
      const base = formatEtag(theirs)
      setTheirs(undefined)
      rebase(base)
      toast("Kept yours. Save it when you are done.")
    }
  }
}
