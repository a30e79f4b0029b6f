import { Cause, Cache, Clock, Context, Data, Duration, Effect, Exit, Layer, Option } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import { MediaLibrary } from "../media/MediaLibrary.ts"
import { MediaReader } from "../media/process/MediaReader.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { fetchPage } from "./fetchPage.ts"
import { fetchFirstThumbnail } from "./fetchThumbnail.ts"
import { QuotedRecords } from "./QuotedRecords.ts"

const timeout = Duration.seconds(10)
/** The time that is left after the picture's fetch, so that a slow picture does not cost the whole card. */
const reserve = Duration.millis(500)

const lookups = { total: 16, perWorkspace: 4 }

/** A post without its turn until then gets no card. */
const maxWait = Duration.seconds(10)

/** Cached, because posts that are scheduled one after the other often share a link. */
const capacity = 1000
const timeToLive = { found: Duration.minutes(5), notFound: Duration.minutes(1) }

/** Null if there is no card, or it can't be found in time; never fails. */
export type LookUpCard = (workspaceId: WorkspaceId, url: string) => Effect.Effect<LinkCard | null>

class Link extends Data.Class<{ readonly workspaceId: WorkspaceId; readonly url: string }> {}

/** The message is not logged, because it names the host, a part of a post's text. */
const logReason =
  (what: string) =>
  ({ _tag }: { readonly _tag: string }) =>
    Effect.annotateLogs(Effect.logDebug(what), { reason: _tag })

const make = Effect.gen(function* () {
  const outbound = yield* Outbound
  const library = Option.getOrUndefined(yield* Effect.serviceOption(MediaLibrary))
  const reader = Option.getOrUndefined(yield* Effect.serviceOption(MediaReader))
  const { inTurn } = makeWorkspaceTurns(lookups)
  const findQuoted = yield* QuotedRecords

  const fetchCard = Effect.fnUntraced(function* ({ url, workspaceId }: Link, start: number) {
    const left = Effect.map(Clock.currentTimeMillis, (now) =>
      Duration.subtract(timeout, Duration.sum(Duration.millis(now - start), reserve))
    )
    const quoted = yield* findQuoted(url)
    if (Option.isSome(quoted)) return quoted.value
    const { description, images, title } = yield* fetchPage(outbound, url, yield* left)
    const thumb =
      reader === undefined || library === undefined
        ? null
        : yield* fetchFirstThumbnail(outbound, { reader, library }, workspaceId, images, left).pipe(
            Effect.tapError(logReason("A link card stays without its picture")),
            Effect.orElseSucceed(() => null)
          )
    return { url, title, description, thumb } satisfies LinkCard
  })

  const lookUp = (link: Link) =>
    Effect.flatMap(Clock.currentTimeMillis, (start) => Effect.timeout(fetchCard(link, start), timeout)).pipe(
      withinWait(inTurn(link.workspaceId), maxWait, new Cause.TimeoutError()),
      Effect.tapError(logReason("A link gets no card")),
      Effect.orElseSucceed(() => null)
    )

  const cache = yield* Cache.makeWith(lookUp, {
    capacity,
    timeToLive: (exit) =>
      Exit.isSuccess(exit) && exit.value !== null ? timeToLive.found : Exit.isSuccess(exit) ? timeToLive.notFound : 0
  })

  // If the request that began a shared lookup is interrupted, the other posts get no card.
  return (workspaceId: WorkspaceId, url: string) =>
    Effect.catchCause(Cache.get(cache, new Link({ workspaceId, url })), () => Effect.succeed(null))
})

/**
 * Without this layer, no link has a card. The request that schedules a post waits for its card: people see what will be
 * sent, a post due immediately has its card, and a crash loses nothing. The wait and the lookups are bounded. A failed
 * lookup costs only the card.
 */
export const LinkCards = Context.Reference<LookUpCard>("social-publisher/cards/LinkCards", {
  defaultValue: () => () => Effect.succeed(null)
})

export const linkCardsLayer = Layer.effect(LinkCards, make)
