import { DateTime, Effect, type Redacted, Result } from "effect"
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

const withCredentials = (
  { accountId, serviceUrl, username }: AccountAccess,
  credentials: Redacted.Redacted
): OpenAccess => ({ accountId, serviceUrl, username, credentials })

/** Where a conversation has come to. */
interface Conversation<A, E> {
  readonly step: Step<A, E>
  readonly access: OpenAccess
}

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

const finish = Effect.fnUntraced(function* <A, E>(
  from: Conversation<A, E>,
  means: Means,
  account: AccountAccess,
  watch: Watch
): Effect.fn.Return<A, E | PlatformError | DatabaseUnavailable> {
  let { access, step } = from
  while (true) {
    switch (step._tag) {
      case "End":
        return yield* Effect.fromResult(step.result)
      case "Request":
        step = yield* answer(step, means, account, watch)
        break
      case "Renew": {
        const stale = access.credentials
        const credentials = yield* account.credentials.refresh(stale, means.renew(account, stale))
        access = withCredentials(account, credentials)
        step = step.next(access)
        break
      }
      case "Files": {
        const { repeatUpload = () => Effect.die("The platform takes no files") } = means
        const references = yield* Effect.result(repeatUpload(step.files, account))
        // The upload may have renewed the access. One that failed says more than why that could not be read.
        if (Result.isSuccess(references)) access = withCredentials(account, yield* account.credentials.current)
        step = step.next(references, access)
      }
    }
  }
})

/** Carries out the steps of a conversation with an account's platform, from its first one on. */
export const carryOut = Effect.fnUntraced(function* <A, E>(
  means: Means,
  account: AccountAccess,
  begin: (access: OpenAccess, now: DateTime.Utc) => Step<A, E>,
  watch: Watch = unwatched
): Effect.fn.Return<A, E | PlatformError | DatabaseUnavailable> {
  const access = withCredentials(account, yield* account.credentials.current)
  const first = begin(access, yield* DateTime.now)
  const step = first._tag === "Request" ? yield* answer(first, means, account, watch) : first
  if (step._tag === "End") return yield* Effect.fromResult(step.result)
  return yield* watch.bounded(finish({ step, access }, means, account, watch))
})

/** Sends a prepared post: carries out the steps that its adapter says. */
export const sendPost = (adapter: PlatformAdapter, prepared: Prepared, account: AccountAccess, watch?: Watch) => {
  const sent = carryOut(adapter, account, (access, now) => adapter.send(prepared, access, now), watch)
  return adapter.sendSpan === undefined ? sent : span(adapter.sendSpan)(sent)
}
