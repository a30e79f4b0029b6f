import { DateTime, Effect, Result } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { OutcomeUnknown, PlatformError } from "../domain/publishing/platformError.ts"
import type { AccountAccess, PlatformAdapter, Prepared } from "./PlatformClient.ts"
import { span } from "./span.ts"
import type { OpenAccess, RequestStep, Step } from "./steps.ts"

/** What carries out the steps of one platform. */
type Means = Pick<PlatformAdapter, "calls" | "postLimits" | "renew" | "repeatUpload">

/** How a send is watched while its steps are carried out. */
export interface Watch {
  /** Runs last before each request that shows a post. The request is not sent if this fails. */
  readonly beforePost: Effect.Effect<void, DatabaseUnavailable>
  /** Bounds what follows the first request, which its call bounds. Most sends end with that one, and need no timer of their own. */
  readonly bounded: <A, E>(steps: Effect.Effect<A, E>) => Effect.Effect<A, E | OutcomeUnknown>
}

const unwatched: Watch = { beforePost: Effect.void, bounded: (steps) => steps }

/** Sends the request of a step, once, and returns the next step. */
const answer = Effect.fnUntraced(function* <A, E>(
  { next, request, shows, through }: RequestStep<A, E>,
  { calls, postLimits }: Means,
  account: AccountAccess,
  { beforePost }: Watch
) {
  if (shows === "post") yield* beforePost
  const answered = yield* Effect.result(calls[through](request))
  if (shows === "post" && Result.isSuccess(answered)) postLimits?.note(account, answered.success)
  return next(answered, yield* DateTime.now)
})

/** Carries out the steps of a conversation with an account's platform, from its first one on. */
export const carryOut = Effect.fnUntraced(function* <A, E>(
  means: Means,
  account: AccountAccess,
  begin: (access: OpenAccess, now: DateTime.Utc) => Step<A, E>,
  watch: Watch = unwatched
): Effect.fn.Return<A, E | PlatformError | DatabaseUnavailable> {
  const { accountId, credentials, serviceUrl, username } = account
  let current = yield* credentials.current
  const access = (): OpenAccess => ({ accountId, serviceUrl, username, credentials: current })

  const finish = Effect.fnUntraced(function* (
    from: Step<A, E>
  ): Effect.fn.Return<A, E | PlatformError | DatabaseUnavailable> {
    let step = from
    while (true) {
      switch (step._tag) {
        case "End":
          return yield* Effect.fromResult(step.result)
        case "Request":
          step = yield* answer(step, means, account, watch)
          break
        case "Renew":
          current = yield* credentials.refresh(current, means.renew(account, current))
          step = step.next(access())
          break
        case "Files": {
          const { repeatUpload = () => Effect.die("The platform takes no files") } = means
          const references = yield* Effect.result(repeatUpload(step.files, account))
          // The upload may have renewed them.
          current = yield* credentials.current
          step = step.next(references, access())
        }
      }
    }
  })

  const first = begin(access(), yield* DateTime.now)
  const second = first._tag === "Request" ? yield* answer(first, means, account, watch) : first
  return yield* second._tag === "End" ? Effect.fromResult(second.result) : watch.bounded(finish(second))
})

/** Sends a prepared post: carries out the steps that its adapter says. */
export const sendPost = (adapter: PlatformAdapter, prepared: Prepared, account: AccountAccess, watch?: Watch) => {
  const sent = carryOut(adapter, account, (access, now) => adapter.send(prepared, access, now), watch)
  return adapter.sendSpan === undefined ? sent : span(adapter.sendSpan)(sent)
}
