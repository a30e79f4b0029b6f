import { Effect, Option, Schema } from "effect"
import type { BlueskyText } from "../../domain/text/blueskyRichText.ts"
import { Unavailable } from "../../domain/platformError.ts"
import { type Call, readResponse } from "../call.ts"
import { orUnavailable } from "../unanswered.ts"
import { query } from "./xrpc.ts"

const readDid = readResponse(Schema.Struct({ did: Schema.NonEmptyString }))

/** A handle can lead to any server on the internet, and a post should not wait for a slow one. */
const handleTimeout = "5 seconds"
const atOnce = 10

const resolve = (call: Call, pdsUrl: string, handle: string): Effect.Effect<Option.Option<string>, Unavailable> =>
  call(query(pdsUrl, "com.atproto.identity.resolveHandle", { handle })).pipe(
    // The PDS itself is away, so the post can wait with its mentions whole.
    orUnavailable,
    Effect.flatMap((answer) => {
      if (answer.status !== 200) return Effect.succeedNone
      return answer.body === null
        ? Effect.fail(new Unavailable({ message: "Bluesky's answer to a mention broke off" }))
        : Effect.succeed(Option.map(readDid(answer), ({ did }) => did))
    }),
    Effect.timeoutOrElse({ duration: handleTimeout, orElse: () => Effect.succeedNone })
  )

/** Finds the DIDs of the handles that a text mentions. One that does not resolve is left out. */
export const resolveMentions = Effect.fnUntraced(function* (call: Call, pdsUrl: string, text: BlueskyText) {
  const handles = new Set(text.facets.flatMap(({ feature }) => (feature._tag === "Mention" ? [feature.handle] : [])))
  const resolved = yield* Effect.forEach(
    handles,
    (handle) =>
      Effect.map(
        resolve(call, pdsUrl, handle),
        Option.map((did): [string, string] => [handle, did])
      ),
    { concurrency: atOnce }
  )
  return new Map(resolved.flatMap(Option.toArray))
})
