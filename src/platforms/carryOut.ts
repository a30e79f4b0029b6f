import { DateTime, Effect, type Redacted, Result } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { OutcomeUnknown, type PlatformError, type Unavailable } from "../domain/publishing/platformError.ts"
import type { AccountAccess, PlatformAdapter, Prepared } from "./PlatformClient.ts"
import { span } from "./span.ts"
import type { OpenAccess, RequestStep, Step } from "./steps.ts"

/** What carries out the steps of one platform. */
type Means = Pick<PlatformAdapter, "calls" | "postLimits" | "renew" | "repeatUpload">

/** How a send is watched while its steps are carried out. */
export interface Watch {
  /** Runs last before each request that shows a post. The request is not sent if this fails. */
  readonly beforePost: Effect.Effect<void, DatabaseUnavailable>
  /** Told whether others may see the post from now on: yes before each request that shows it, no once an answer proves that they don't. */
  readonly mayBeOut: (is: boolean) => void
  /** Bounds what follows the first request, which its call bounds. Most sends end with that one, and need no timer of their own. */
  readonly bounded: <A, E>(steps: Effect.Effect<A, E>) => Effect.Effect<A, E | OutcomeUnknown | Unavailable>
}

const unwatched: Watch = { beforePost: Effect.void, mayBeOut: () => {}, bounded: (steps) => steps }

const withCredentials = (
  { accountId, serviceUrl, username }: AccountAccess,
  credentials: Redacted.Redacted
): OpenAccess => ({ accountId, serviceUrl, username, credentials })

/** Where a conversation has come to. */
interface Conversation<A, E> {
  readonly step: Step<A, E>
  readonly access: OpenAccess
}

/** What the engine itself fails with says nothing about an earlier request of the conversation. */
const own =
  ({ mayBeOut = false }: { readonly mayBeOut?: boolean }) =>
  <A, E extends PlatformError | DatabaseUnavailable>(
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E | OutcomeUnknown> =>
    mayBeOut ? Effect.mapError(effect, ({ message }) => new OutcomeUnknown({ message })) : effect

/** Sends the request of a step, once, and returns the next step. */
const answer = Effect.fnUntraced(function* <A, E>(
  step: RequestStep<A, E>,
  { calls, postLimits }: Means,
  account: AccountAccess,
  watch: Watch
) {
  const isPost = step.shows === "post"
  if (isPost) {
    yield* own(step)(watch.beforePost)
    watch.mayBeOut(true)
  }
  const answered = yield* Effect.result(calls[step.through](step.request))
  const next = step.next(answered, yield* DateTime.now)
  if (!isPost) return next
  if (next._tag !== "End") watch.mayBeOut(next.mayBeOut === true)
  // A request that was refused for its access was no attempt at a post.
  if (next._tag !== "Renew" && Result.isSuccess(answered)) postLimits?.note(account, answered.success)
  return next
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
        const renewed = account.credentials.refresh(stale, means.renew(account, stale))
        access = withCredentials(account, yield* own(step)(renewed))
        step = step.next(access)
        break
      }
      case "Files": {
        const { repeatUpload = () => Effect.die("The platform takes no files") } = means
        const references = yield* Effect.result(repeatUpload(step.files, account))
        // The upload may have renewed it, and another account may have been connected meanwhile, also where the upload has failed.
        access = withCredentials(account, yield* own(step)(account.credentials.current))
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
