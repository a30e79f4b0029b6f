import { Cache, Clock, Context, Data, Duration, Effect, Exit, Layer, Option, PartitionedSemaphore } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import { MediaLibrary } from "../media/MediaLibrary.ts"
import { MediaReader } from "../media/process/MediaReader.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { fetchPage } from "./fetchPage.ts"
import { fetchFirstThumbnail } from "./fetchThumbnail.ts"

const timeout = Duration.seconds(10)
/** Reserved after the picture's fetch, so that a slow picture does not cost the whole card. */
const reserve = Duration.millis(500)

/** Workspaces take turns. */
const concurrency = 16

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
  const turns = yield* PartitionedSemaphore.make<WorkspaceId>({ permits: concurrency })

  const fetchCard = Effect.fnUntraced(function* ({ url, workspaceId }: Link, start: number) {
    const left = Effect.map(Clock.currentTimeMillis, (now) =>
      Duration.subtract(timeout, Duration.sum(Duration.millis(now - start), reserve))
    )
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
    Effect.flatMap(Clock.currentTimeMillis, (start) =>
      Effect.timeout(turns.withPermit(link.workspaceId)(fetchCard(link, start)), timeout)
    ).pipe(
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
