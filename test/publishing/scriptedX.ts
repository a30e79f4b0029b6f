import { Clock, Context, DateTime, Duration, Effect, Layer, References } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import type { ThreadPart } from "../../src/domain/posts/thread.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { tweetId } from "../../src/platforms/twitter/standIn/tweet.ts"
import { plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { idleLater } from "./sendBatchWorld.ts"

/** An answer of X, or of something in front of it, to one request. */
export interface ScriptedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Null where the connection is lost before the end of the body. */
  readonly body: string | null
  /** The time until X's timeline shows the post; undefined if X never got the request. */
  readonly shownAfter?: Duration.Duration
}

interface Kept {
  readonly id: string
  readonly text: string
  readonly at: number
  readonly shownFrom: number
  readonly conversation: string
}

/** A page that no API of X answers with. */
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

/** X as it keeps posts and shows them on one timeline. What is not scripted is carried out and shown at once. */
export class ScriptedX extends Context.Service<
  ScriptedX,
  {
    /** The answers to the next posts and the next looks. */
    readonly posts: Array<ScriptedAnswer>
    readonly looks: Array<ScriptedAnswer>
    /** The texts of all posts that X has kept since the last time. */
    readonly takeKept: () => ReadonlyArray<string>
    /** The requests since the last time. */
    readonly takeRequests: () => ReadonlyArray<string>
  }
>()("test/ScriptedX") {}

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array"
    ? (JSON.parse(new TextDecoder().decode(body.body)) as {
        readonly text: string
        readonly reply?: { readonly in_reply_to_tweet_id: string }
      })
    : { text: "" }

const start = DateTime.makeUnsafe("2026-01-31T12:00:00.250Z")

const scripted = Layer.effectContext(
  Effect.gen(function* () {
    const clock = yield* Clock.clockWith(Effect.succeed)
    const now = () => clock.currentTimeMillisUnsafe()
    const kept: Array<Kept> = []
    const requests: Array<string> = []
    const posts: Array<ScriptedAnswer> = []
    const looks: Array<ScriptedAnswer> = []
    let taken = 0

    const keep = ({ reply, text }: ReturnType<typeof bodyOf>, shownAfter: Duration.Duration) => {
      const id = tweetId(now(), kept.length)
      const conversation = kept.find((post) => post.id === reply?.in_reply_to_tweet_id)?.conversation ?? id
      kept.push({ id, text, at: now(), shownFrom: now() + Duration.toMillis(shownAfter), conversation })
      return id
    }
    const respond = ({ body, headers = {}, status }: ScriptedAnswer) => ({
      status,
      headers: Headers.fromInput({ date: new Date(now()).toUTCString(), ...headers }),
      body
    })
    const timeline = () => {
      const data = kept
        .filter(({ shownFrom }) => shownFrom <= now())
        .toReversed()
        .map(({ at, conversation, id, text }) => ({
          id,
          text,
          conversation_id: conversation,
          created_at: new Date(at).toISOString()
        }))
      return { status: 200, body: JSON.stringify({ data, meta: { result_count: data.length } }) }
    }
    const answer = (request: HttpClientRequest.HttpClientRequest) => {
      if (request.method === "GET") {
        requests.push("look")
        return respond(looks.shift() ?? timeline())
      }
      const body = bodyOf(request)
      requests.push(`post ${body.text}`)
      const ordered = posts.shift()
      if (ordered === undefined) {
        const id = keep(body, Duration.zero)
        return respond({ status: 201, body: JSON.stringify({ data: { id, text: body.text } }) })
      }
      if (ordered.shownAfter !== undefined) keep(body, ordered.shownAfter)
      return respond(ordered)
    }

    const adapter = makeTwitterAdapter(
      { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
      (request) => Effect.sync(() => answer(request))
    )
    return Context.make(PlatformClient, { twitter: adapter, bluesky: adapter }).pipe(
      Context.add(ScriptedX, {
        posts,
        looks,
        takeKept: () => {
          const since = kept.slice(taken).map(({ text }) => text)
          taken = kept.length
          return since
        },
        takeRequests: () => requests.splice(0)
      })
    )
  })
)

/** A publisher on PostgreSQL with X's own adapter. */
export const scriptedX = Publisher.layer.pipe(
  Layer.provideMerge(scripted),
  Layer.provideMerge(repoLayer),
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(DateTime.toEpochMillis(start)))),
  Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
)

/** A post, or a thread, that is due in a minute on an account of its own. */
export const dueInAMinute = Effect.fnUntraced(function* (content: string, thread: ReadonlyArray<ThreadPart> = []) {
  const { integrations, posts, workspaces } = yield* Repo
  const { id: workspace } = yield* workspaces.create("A team")
  yield* integrations.connect(workspace, account)
  const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
  const { id } = yield* posts.create(workspace, { ...plan(at, ["twitter"]), content, thread })
  return { workspace, id }
})

/** Lets time pass, and publishes what is due or about to be. */
export const after = Effect.fnUntraced(function* (duration: Duration.Input) {
  yield* TestClock.adjust(duration)
  yield* (yield* Publisher).tick
  yield* idleLater
})

/** Lets time pass in steps, and publishes what is due after each. */
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
