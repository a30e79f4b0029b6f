import { Deferred, Effect, Exit, Layer, type Redacted, References, Result } from "effect"
import { Headers } from "effect/http"
import type { Json } from "effect/Schema"
import type { CredentialsUnreadable } from "../../src/domain/errors.ts"
import { TargetId } from "../../src/domain/ids.ts"
import type { PlatformError } from "../../src/domain/publishing/platformError.ts"
import { Notifier } from "../../src/notifier/Notifier.ts"
import type { Answer, Call } from "../../src/platforms/call.ts"
import { observed } from "../../src/platforms/lastCall.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { attempt, type Outcome } from "../../src/publishing/attempt.ts"
import type { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Sends } from "../../src/publishing/Sends.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import type { Claim, Targets } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { claimed, currentLease } from "./claimed.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

export const text = (number: number) => `Text ${number}`

/** The first claim of the target with a number. */
export const claimOf = (number: number, changes: Partial<Claim> = {}) =>
  claimed({
    targetId: TargetId.make(`01a1fc17-0000-7000-8000-1${String(number).padStart(11, "0")}`),
    text: text(number),
    ...changes
  })

export const created = (id: string): Answer =>
  Result.succeed({ status: 201, headers: Headers.empty, body: JSON.stringify({ data: { id } }) })

export const answerOf = (status: number): Answer =>
  Result.succeed({
    status,
    headers: Headers.empty,
    body: JSON.stringify({ title: "No", detail: "No", type: "about:blank", status })
  })

export const sealed = new Uint8Array([1])

interface World {
  /** The result of storing a batch's intents. */
  readonly intents: Targets["beginSends"]
  /** The result of storing the intent of a post whose target is locked. */
  readonly intent: ReturnType<Targets["beginSend"]>
  /** The result of writing a batch of settlements. */
  readonly written: ReturnType<Targets["settleAll"]>
  readonly lease: Layer.Layer<ProcessLease>
  /** Changes X's adapter. */
  readonly adapt: (adapter: PlatformAdapter) => PlatformAdapter
  readonly credentials: Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
  /** The result of renewing them. */
  readonly refreshed: Effect.Effect<Redacted.Redacted, PlatformError>
}

/** X's real adapter, whose requests the test answers, and a database that stores intents. */
export const makeWorld = ({
  adapt = (adapter) => adapter,
  credentials = Effect.succeed(encodeTokens({ accessToken: "token", refreshToken: null })),
  intent = Effect.succeed(sealed),
  intents = (sends) => Effect.succeed(sends.map(() => Exit.succeed(sealed))),
  lease = currentLease,
  refreshed = Effect.die("Unexpected renewal"),
  written = Effect.succeed({ lost: [], posts: [] })
}: Partial<World> = {}) => {
  /** The numbers of the batches' texts, in the order in which their intents were stored. */
  const batches: Array<ReadonlyArray<string>> = []
  /** The stored intents. */
  const prepared: Array<Json> = []
  /** The requests without an answer, by their texts. */
  const requests = new Map<string, (answer: Answer) => void>()
  const sent: Array<string> = []
  const aborted: Array<string> = []
  const textIn = (body: unknown) => {
    const { body: bytes } = body as { readonly body: Uint8Array }
    return (JSON.parse(new TextDecoder().decode(bytes)) as { readonly text: string }).text
  }
  const call: Call = (request) =>
    Effect.callback((resume) => {
      const own = textIn(request.body)
      sent.push(own)
      requests.set(own, (came) => resume(Effect.fromResult(came)))
      return Effect.sync(() => {
        aborted.push(own)
        requests.delete(own)
      })
    })
  const adapter = makeTwitterAdapter(
    { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
    observed(call)
  )
  const adapted = adapt(adapter)
  const repo = fakeRepo({
    targets: {
      settleAll: () => written,
      beginSends: (sends, lease_) => {
        batches.push(sends.map(({ claim }) => claim.text))
        prepared.push(...sends.map((send) => send.prepared))
        return intents(sends, lease_)
      },
      beginSend: (_, post) =>
        Effect.suspend(() => {
          prepared.push(post)
          return intent
        })
    },
    integrations: { openCredentials: () => credentials, refreshCredentials: () => refreshed }
  })
  const layer = Sends.layer.pipe(
    Layer.provideMerge(Settlements.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        repo,
        lease,
        Layer.succeed(
          PlatformClient,
          perPlatform(() => adapted)
        ),
        Layer.mock(Notifier, { postsSettled: () => Effect.void })
      )
    ),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )
  const answer = (number: number, came: Answer) => Effect.sync(() => requests.get(text(number))?.(came))
  return { layer, batches, prepared, sent, aborted, answer }
}

export const attemptOf = (claim: Claim) => Effect.forkChild(Effect.uninterruptible(attempt(claim)))

/** Begins an attempt whose outcome can be awaited even if its fiber is interrupted. */
export const interruptibleAttempt = Effect.fnUntraced(function* (claim: Claim) {
  const outcome = yield* Deferred.make<Outcome>()
  const fiber = yield* Effect.forkChild(
    Effect.uninterruptible(Effect.flatMap(attempt(claim), (ended) => Deferred.succeed(outcome, ended))),
    { startImmediately: true }
  )
  return { interrupt: Effect.sync(() => fiber.interruptUnsafe()), outcome: Deferred.await(outcome) }
})

export const attemptAll = (...claims: ReadonlyArray<Claim>) => Effect.forEach(claims, attemptOf)

export const kindOf = (outcome: Outcome) => (outcome._tag === "Failed" ? outcome.error._tag : outcome._tag)
