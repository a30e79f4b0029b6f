import { Effect, Option, Schema } from "effect"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import { richText, type RichText } from "./rules/richText.ts"
import { readResponse } from "../call.ts"
import { orUnavailable } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import type { BlueskyApi, BlueskyCalls, Pds } from "./api.ts"
import { Did } from "./syntax.ts"
import { query } from "./xrpc.ts"

const readDid = readResponse(Schema.Struct({ did: Did }))

/** A handle can name any server on the internet, and a post should not wait for a slow one. */
const handleTimeout = "5 seconds"
const concurrency = 10

const ask = (calls: BlueskyCalls, { through, url }: Pds, handle: string) =>
  orUnavailable(calls[through](query(url, "com.atproto.identity.resolveHandle", { handle })))

const cutOff = new Unavailable({ message: "Bluesky's response about a mention was cut off" })

const resolve = (calls: BlueskyCalls, pds: Pds, handle: string): Effect.Effect<Option.Option<string>, Unavailable> =>
  // If the PDS does not answer, the post waits. It is not sent without its mentions.
  ask(calls, pds, handle).pipe(
    Effect.flatMap((response) => {
      if (response.status !== 200) return Effect.succeedNone
      return response.body === null
        ? Effect.fail(cutOff)
        : Effect.succeed(Option.map(readDid(response), ({ did }) => did))
    }),
    Effect.timeoutOrElse({ duration: handleTimeout, orElse: () => Effect.succeedNone })
  )

const unanswered = new Unavailable({ message: "Bluesky did not answer about the mention" })

const handlesIn = ({ facets }: RichText): ReadonlySet<string> =>
  new Set(facets.flatMap(({ feature }) => (feature._tag === "Mention" ? [feature.handle] : [])))

/** An account is unknown only if Bluesky says so. A post leaves out every mention without an answer. */
export const makeMentions = ({ calls, pds: findPds }: BlueskyApi): NonNullable<PlatformAdapter["mentions"]> => ({
  find: (text) => [...handlesIn(richText(text))],
  isKnown: Effect.fnUntraced(function* (handle, account) {
    const response = yield* Effect.timeoutOrElse(ask(calls, yield* findPds(account), handle), {
      duration: handleTimeout,
      orElse: () => unanswered
    })
    if (response.status === 400) return false
    return response.status === 200 && Option.isSome(readDid(response)) ? true : yield* unanswered
  })
})

/** Finds the DIDs of mentioned handles. A handle that does not resolve is left out. */
export const resolveMentions = Effect.fnUntraced(function* (
  { calls, pds: findPds }: BlueskyApi,
  account: AccountAccess,
  text: RichText
) {
  const handles = handlesIn(text)
  if (handles.size === 0) return new Map<string, string>()
  const pds = yield* findPds(account)
  const resolved = yield* Effect.forEach(
    handles,
    (handle) =>
      Effect.map(
        resolve(calls, pds, handle),
        Option.map((did): [string, string] => [handle, did])
      ),
    { concurrency }
  )
  return new Map(resolved.flatMap(Option.toArray))
})
