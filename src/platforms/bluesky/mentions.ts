import { Effect, Option, Schema } from "effect"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import type { RichText } from "./rules/richText.ts"
import { readResponse } from "../call.ts"
import { orUnavailable } from "../outcome.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import type { BlueskyApi, BlueskyCalls, Pds } from "./api.ts"
import { Did } from "./syntax.ts"
import { query } from "./xrpc.ts"

const readDid = readResponse(Schema.Struct({ did: Did }))

/** A handle can name any server on the internet, and a post should not wait for a slow one. */
const handleTimeout = "5 seconds"
const concurrency = 10

const resolve = (
  calls: BlueskyCalls,
  { through, url }: Pds,
  handle: string
): Effect.Effect<Option.Option<string>, Unavailable> =>
  calls[through](query(url, "com.atproto.identity.resolveHandle", { handle })).pipe(
    // If the PDS does not answer, the post waits. It is not sent without its mentions.
    orUnavailable,
    Effect.flatMap((response) => {
      if (response.status !== 200) return Effect.succeedNone
      return response.body === null
        ? Effect.fail(new Unavailable({ message: "Bluesky's response about a mention was cut off" }))
        : Effect.succeed(Option.map(readDid(response), ({ did }) => did))
    }),
    Effect.timeoutOrElse({ duration: handleTimeout, orElse: () => Effect.succeedNone })
  )

/** Finds the DIDs of mentioned handles. A handle that does not resolve is left out. */
export const resolveMentions = Effect.fnUntraced(function* (
  { calls, pds: findPds }: BlueskyApi,
  account: AccountAccess,
  text: RichText
) {
  const handles = new Set(text.facets.flatMap(({ feature }) => (feature._tag === "Mention" ? [feature.handle] : [])))
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
