import { DateTime, Effect, type Redacted, Result } from "effect"
import { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { OutcomeUnknown, type PlatformError, type Unavailable } from "../domain/publishing/platformError.ts"
import type { AccountAccess, PlatformAdapter, Prepared } from "./PlatformClient.ts"
import { span } from "./span.ts"
import type { OpenAccess, RequestStep, Step } from "./steps.ts"

type Transport = Pick<PlatformAdapter, "calls" | "postLimits" | "renew" | "repeatUpload">

export interface Watch {
  /** Runs right before each request that may make a post visible (`shows: "post"`), and can prevent the request. */
  readonly beforePost: Effect.Effect<void, Unavailable | DatabaseUnavailable>
  /**
   * Called with true before each request that may make the post visible, and with false once an answer proves that
   * nothing was published.
   */
  readonly onMayBeOut: (is: boolean) => void
  /**
   * Limits the time of the steps after the first request. Most sends end with that request, which has its call's
   * timeout.
   */
  readonly limitRest: <A, E>(steps: Effect.Effect<A, E>) => Effect.Effect<A, E | OutcomeUnknown | Unavailable>
}

export const unwatched: Watch = { beforePost: Effect.void, onMayBeOut: () => {}, limitRest: (steps) => steps }

const withCredentials = (
  { accountId, serviceUrl, username }: AccountAccess,
  credentials: Redacted.Redacted
): OpenAccess => ({ accountId, serviceUrl, username, credentials })

interface Conversation<A, E> {
  readonly step: Step<A, E>
  readonly access: OpenAccess
}

/** Turns a failure between two requests into OutcomeUnknown if an earlier request may have published the post. */
const orUnknownIfOut =
  ({ mayBeOut = false }: { readonly mayBeOut?: boolean }) =>
  <A, E extends PlatformError | DatabaseUnavailable>(
    effect: Effect.Effect<A, E>
  ): Effect.Effect<A, E | OutcomeUnknown> =>
    mayBeOut ? Effect.mapError(effect, ({ message }) => new OutcomeUnknown({ message })) : effect

/** A file that can't be read cuts the request off, as a lost connection does. */
const requestOf = <A, E>({ body, request }: RequestStep<A, E>, { files }: AccountAccess) => {
  if (body === undefined) return request
  const { contentType, hash, length, offset } = body
  return HttpClientRequest.bodyStream(request, files.read(hash, { offset, length }), {
    contentType,
    contentLength: length
  })
}

const answer = Effect.fnUntraced(function* <A, E>(
  step: RequestStep<A, E>,
  { calls, postLimits }: Transport,
  account: AccountAccess,
  watch: Watch
) {
  const isPost = step.shows === "post"
  if (isPost) {
    yield* orUnknownIfOut(step)(watch.beforePost)
    watch.onMayBeOut(true)
  }
  const answered = yield* Effect.result(calls[step.through](requestOf(step, account)))
  const next = step.next(answered, yield* DateTime.now)
  if (!isPost) return next
  if (next._tag !== "End") watch.onMayBeOut(next.mayBeOut === true)
  // A response that refuses the access token is no attempt at a post, so the limits in its headers are not noted.
  if (next._tag !== "Renew" && Result.isSuccess(answered)) postLimits?.note(account, answered.success)
  return next
})

const finish = Effect.fnUntraced(function* <A, E>(
  from: Conversation<A, E>,
  transport: Transport,
  account: AccountAccess,
  watch: Watch
): Effect.fn.Return<A, E | PlatformError | DatabaseUnavailable> {
  let { access, step } = from
  while (true) {
    switch (step._tag) {
      case "End":
        return yield* Effect.fromResult(step.result)
      case "Request":
        step = yield* answer(step, transport, account, watch)
        break
      case "Renew": {
        const stale = access.credentials
        const renewed = account.credentials.refresh(stale, transport.renew(account, stale))
        access = withCredentials(account, yield* orUnknownIfOut(step)(renewed))
        step = step.next(access)
        break
      }
      case "Files": {
        const { repeatUpload = () => Effect.die("The platform takes no files") } = transport
        const references = yield* Effect.result(repeatUpload(step.files, account))
        // The upload may have renewed the access even if it failed, or another account may have been connected.
        access = withCredentials(account, yield* orUnknownIfOut(step)(account.credentials.current))
        step = step.next(references, access)
      }
    }
  }
})

export const carryOut = Effect.fnUntraced(function* <A, E>(
  transport: Transport,
  account: AccountAccess,
  begin: (access: OpenAccess, now: DateTime.Utc) => Step<A, E>,
  watch: Watch = unwatched
): Effect.fn.Return<A, E | PlatformError | DatabaseUnavailable> {
  const access = withCredentials(account, yield* account.credentials.current)
  const first = begin(access, yield* DateTime.now)
  const step = first._tag === "Request" ? yield* answer(first, transport, account, watch) : first
  if (step._tag === "End") return yield* Effect.fromResult(step.result)
  return yield* watch.limitRest(finish({ step, access }, transport, account, watch))
})

export const sendPost = (adapter: PlatformAdapter, prepared: Prepared, account: AccountAccess, watch?: Watch) => {
  const sent = carryOut(adapter, account, (access, now) => adapter.send(prepared, access, now), watch)
  return adapter.sendSpan === undefined ? sent : span(adapter.sendSpan)(sent)
}
