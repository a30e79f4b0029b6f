import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { WorkspaceId } from "../domain/ids.ts"
import type { WantedPicture } from "../domain/posts/picturePlan.ts"
import type { KeptPicture } from "../domain/posts/platformSettings.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import { MediaLibrary } from "../media/MediaLibrary.ts"
import { MediaReader } from "../media/process/MediaReader.ts"
import { findType, type OtherType } from "../media/receive/sniff.ts"
import { Outbound } from "../outbound/Outbound.ts"
import { maxRedirects } from "./fetchPage.ts"
import { preparePicture } from "./preparePicture.ts"

const timeout = Duration.seconds(10)

const lookups = { total: 16, perWorkspace: 4 }
const maxWait = Duration.seconds(10)

/** A text is the reason why the picture was not kept; never fails. */
export type KeepPicture = (
  workspaceId: WorkspaceId,
  picture: Pick<WantedPicture, "rule" | "url">
) => Effect.Effect<KeptPicture | string>

/** The picture can't be kept. The message is shown to people. */
class NoPicture extends Schema.TaggedError<NoPicture>()("NoPicture", { message: Schema.String }) {}

const names: Readonly<Record<string, string>> = { "image/jpeg": "JPEG", "image/png": "PNG" }

const accepted = (types: ReadonlyArray<string>): string => types.map((type) => names[type] ?? type).join(" or ")

const refusal = (reason: string) => `The picture can't be used: ${reason}`

const late = "its server did not answer in time; check the address, or try again"
const unstored = "it could not be stored; try again"

const make = Effect.gen(function* () {
  const outbound = yield* Outbound
  const library = Option.getOrUndefined(yield* Effect.serviceOption(MediaLibrary))
  const reader = Option.getOrUndefined(yield* Effect.serviceOption(MediaReader))
  const { inTurn } = makeWorkspaceTurns(lookups)

  const keep = Effect.fn("keepPicture")(function* (
    workspaceId: WorkspaceId,
    { rule: { contentTypes, longestSide, maxBytes }, url }: Pick<WantedPicture, "rule" | "url">
  ) {
    if (library === undefined || reader === undefined) {
      return yield* new NoPicture({ message: "this service has no store of media" })
    }
    const request = HttpClientRequest.get(url, { headers: { accept: contentTypes.join(",") } })
    const { bytes, status } = yield* outbound.fetch({ request, timeout, maxBytes: maxBytes + 1, maxRedirects })
    if (status !== 200) {
      return yield* new NoPicture({ message: `its server answered with the status ${status}; check the address` })
    }
    if (bytes.byteLength > maxBytes) {
      return yield* new NoPicture({
        message: `it may have up to ${maxBytes / 1e6} MB, but it has more; make it smaller`
      })
    }
    const others = new NoPicture({ message: `it must be ${accepted(contentTypes)}` })
    const otherType = ({ found }: OtherType) =>
      new NoPicture({ message: `${found}; it must be ${accepted(contentTypes)}` })
    // The bytes decide the type, whatever the server says.
    const contentType = yield* Effect.mapError(findType(bytes), otherType)
    if (!contentTypes.includes(contentType)) return yield* others
    const picture = yield* preparePicture(reader, workspaceId, { bytes, contentType }, { longestSide, maxBytes })
    if (picture === null) return yield* new NoPicture({ message: "it can't be read" })
    if (!contentTypes.includes(picture.contentType)) return yield* others
    const { hash, size } = yield* library.storeCardPicture(workspaceId, picture.bytes)
    return { url, hash, content_type: picture.contentType, size } satisfies KeptPicture
  })

  return (workspaceId: WorkspaceId, picture: Pick<WantedPicture, "rule" | "url">) =>
    keep(workspaceId, picture).pipe(
      Effect.timeout(timeout),
      withinWait(inTurn(workspaceId), maxWait, new NoPicture({ message: late })),
      Effect.catch((error) => {
        switch (error._tag) {
          case "NoPicture":
          case "AddressRefused":
          case "Unreachable":
          case "TooManyRedirects":
          case "ResponseTooLong":
          case "MediaQuotaExceeded":
            return Effect.succeed(refusal(error.message))
          case "TimeoutError":
            return Effect.succeed(refusal(late))
          case "UnreadableFile":
            return Effect.succeed(refusal("it can't be read"))
          default:
            return Effect.as(Effect.logWarning("A picture could not be kept", error), refusal(unstored))
        }
      })
    )
})

/**
 * Fetches and keeps the pictures at the URLs of a post's settings, so that what is sent later is what was there when
 * the post was scheduled. Without this layer, no such post can be scheduled.
 */
export const KeptPictures = Context.Reference<KeepPicture>("social-publisher/cards/KeptPictures", {
  defaultValue: () => () => Effect.succeed(refusal("this service fetches no pictures"))
})

export const keptPicturesLayer = Layer.effect(KeptPictures, make)
