import { Clock, Context, DateTime, Duration, Effect, Layer, References } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import type { ThreadPart } from "../../src/domain/posts/thread.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { makeTwitterStandIn } from "../../src/platforms/twitter/standIn/standIn.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Repo } from "../../src/repo/Repo.ts"
import type { Fault } from "../../src/sandbox/state/faults.ts"
import { answerNow, memoryStandIn, type ReceivedRequest } from "../support/platforms/memoryStandIn.ts"
import { plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { idleLater } from "./sendBatchWorld.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

/** An answer of X, or of a gateway in front of it, to one request. */
export interface ScriptedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Null if the connection is lost before the body's end. */
  readonly body: string | null
  /** The time until X's timeline shows the post; undefined if X never got the request. */
  readonly shownAfter?: Duration.Duration
}

/** A page that X's API never returns. */
export const html = "<!doctype html><title>Access denied</title><h1>Access denied</h1>"

export const problem = (status: number, title: string, detail = title) =>
  JSON.stringify({ title, detail, type: "about:blank", status })

const account = {
  platform: "twitter",
  accountId: "44",
  username: "team",
  displayName: null,
  avatarUrl: null,
  serviceUrl: null,
  credentials: encodeTokens({ accessToken: "token", refreshToken: null })
} as const

const fresh = { access: "token", refresh: "", family: "" }

/** X, with one timeline. Unscripted posts are stored and shown at once. */
export class ScriptedX extends Context.Service<
  ScriptedX,
  {
    /** The answers to the next posts and the next looks. */
    readonly posts: Array<ScriptedAnswer>
    readonly looks: Array<ScriptedAnswer>
    /** The texts that X has stored since the last call. */
    readonly takeKept: () => ReadonlyArray<string>
    /** The requests since the last call. */
    readonly takeRequests: () => ReadonlyArray<string>
  }
>()("test/ScriptedX") {}

const start = DateTime.makeUnsafe("2026-01-31T12:00:00.250Z")

const scripted = Layer.effectContext(
  Effect.gen(function* () {
    const clock = yield* Clock.clockWith(Effect.succeed)
    const now = () => clock.currentTimeMillisUnsafe()
    const x = memoryStandIn(makeTwitterStandIn("self-serve"))
    const lasting = { ...x.grant(account.accountId, 0, fresh), accessUntil: Number.MAX_SAFE_INTEGER }
    x.apply([lasting])
    // A second post with the same text is shown instead of refused, so that tests see it.
    const state = { ...x.state, lastPostedAt: () => undefined }
    const requests: Array<string> = []
    const posts: Array<ScriptedAnswer> = []
    const looks: Array<ScriptedAnswer> = []
    let taken = 0

    const carryOut = (request: ReceivedRequest, fault?: Fault) => {
      const { entries, response } = x.meet(request, { now: now(), fresh, fault }, state)
      x.apply(entries)
      return answerNow(response)
    }
    const answer = (request: HttpClientRequest.HttpClientRequest) => {
      const received = x.receive(request)
      requests.push(received.text === null ? "look" : `post ${received.text}`)
      const ordered = (received.text === null ? looks : posts).shift()
      if (ordered === undefined) return carryOut(received)
      const { body, headers = {}, shownAfter, status } = ordered
      if (shownAfter !== undefined) carryOut(received, { kind: "overload", ms: Duration.toMillis(shownAfter) })
      const date = new Date(now()).toUTCString()
      return { status, headers: Headers.fromInput({ date, ...headers }), body }
    }

    const adapter = makeTwitterAdapter(
      { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
      (request) => Effect.sync(() => answer(request))
    )
    return Context.make(
      PlatformClient,
      perPlatform(() => adapter)
    ).pipe(
      Context.add(ScriptedX, {
        posts,
        looks,
        takeKept: () => {
          const since = x.state.posts().slice(taken)
          taken += since.length
          return since.map(({ text }) => text)
        },
        takeRequests: () => requests.splice(0)
      })
    )
  })
)

/** A publisher on PostgreSQL with X's real adapter. */
export const scriptedX = Publisher.layer.pipe(
  Layer.provideMerge(scripted),
  Layer.provideMerge(repoLayer),
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(DateTime.toEpochMillis(start)))),
  Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
)

/** A post or thread on a new account, due in a minute. */
export const dueInAMinute = Effect.fnUntraced(function* (content: string, thread: ReadonlyArray<ThreadPart> = []) {
  const { integrations, posts, workspaces } = yield* Repo
  const { id: workspace } = yield* workspaces.create("A team")
  yield* integrations.connect(workspace, account)
  const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
  const { id } = yield* posts.create(workspace, { ...plan(at, ["twitter"]), content, thread })
  return { workspace, id }
})

/** Lets time pass, and publishes posts that are due or nearly due. */
export const after = Effect.fnUntraced(function* (duration: Duration.Input) {
  yield* TestClock.adjust(duration)
  yield* (yield* Publisher).tick
  yield* idleLater
})

/** Lets time pass in steps, and publishes due posts after each step. */
export const over = Effect.fnUntraced(function* (duration: Duration.Input, step: Duration.Input = "15 seconds") {
  const millis = (of: Duration.Input) => Duration.toMillis(Duration.fromInputUnsafe(of))
  for (let left = millis(duration); left > 0; left -= millis(step)) yield* after(step)
})

/** A post's status with the error and the attempts of its target. */
export const stateOf = Effect.fnUntraced(function* ({
  id,
  workspace
}: Effect.Success<ReturnType<typeof dueInAMinute>>) {
  const { post_targets, status } = yield* (yield* Repo).posts.get(workspace, id)
  const [target] = post_targets
  return { status, code: target?.error?.code ?? null, message: target?.error?.message ?? "" }
})
