import { Context, Effect, Layer, Queue, Result, Schema } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { perPlatform } from "../support/platforms/perPlatform.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { makeBlueskyAdapter } from "../../src/platforms/bluesky/adapter.ts"
import type { Answer, Call } from "../../src/platforms/call.ts"
import { observed } from "../../src/platforms/lastCall.ts"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"

/** A request that sends a post, which the test answers. */
export interface HeldRequest {
  readonly platform: LivePlatform
  readonly text: string
  readonly answer: (answer: Answer) => void
}

/** The paths of requests that send a post. */
const sends = new Set(["/2/tweets", "/xrpc/com.atproto.repo.putRecord"])

const Body = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ text: Schema.String }),
    Schema.Struct({ record: Schema.Struct({ text: Schema.String }) })
  ])
)

const textOf = ({ body }: HttpClientRequest.HttpClientRequest): string => {
  const sent = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
  const read = Schema.decodeSync(Body)(sent)
  return "text" in read ? read.text : read.record.text
}

const answered = (status: number, body: object): Answer =>
  Result.succeed({ status, headers: Headers.empty, body: JSON.stringify(body) })

/** The platforms' answers to an accepted post. */
export const taken: Readonly<Record<LivePlatform, Answer>> = {
  ...perPlatform(() => answered(201, { data: { id: "7" } })),
  bluesky: answered(200, { uri: "at://did:plc:team/app.bsky.feed.post/7" })
}

/** A refusal by X. */
export const refused = (status: number, detail = "No") =>
  answered(status, { title: "No", type: "about:blank", detail, status })

/** The platforms' real adapters, whose requests wait for the test's answers. */
export class Held extends Context.Service<
  Held,
  {
    /** Waits for the next request that sends a post. */
    readonly next: Effect.Effect<HeldRequest>
    /** The number of such requests that `next` has not returned yet. */
    readonly waiting: Effect.Effect<number>
    /** The method and path of each other request since the last call. Such requests get a 404. */
    readonly others: Effect.Effect<ReadonlyArray<string>>
    /** The texts of aborted requests. */
    readonly aborted: ReadonlyArray<string>
  }
>()("test/Held") {}

export const heldPlatforms = Layer.effectContext(
  Effect.gen(function* () {
    const requests = yield* Queue.unbounded<HeldRequest>()
    const others = yield* Queue.unbounded<string>()
    const aborted: Array<string> = []
    const callOf = (platform: LivePlatform): Call =>
      observed((request) => {
        const { pathname } = new URL(request.url)
        if (!sends.has(pathname)) {
          Queue.offerUnsafe(others, `${request.method} ${pathname}`)
          return Effect.fromResult(refused(404))
        }
        return Effect.callback((resume) => {
          const text = textOf(request)
          const answer = (came: Answer) => resume(Effect.fromResult(came))
          Queue.offerUnsafe(requests, { platform, text, answer })
          return Effect.sync(() => void aborted.push(text))
        })
      })
    const toPds = callOf("bluesky")
    const onX = makeTwitterAdapter(
      { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
      callOf("twitter")
    )
    return Context.make(PlatformClient, {
      ...perPlatform(() => onX),
      bluesky: makeBlueskyAdapter(
        { defaultServiceUrl: "https://pds.test", webUrl: "https://bsky.test" },
        { configured: toPds, guarded: toPds }
      )
    }).pipe(
      Context.add(Held, {
        next: Queue.take(requests),
        waiting: Queue.size(requests),
        others: Queue.clear(others),
        aborted
      })
    )
  })
)
