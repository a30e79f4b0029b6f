import { DateTime, Duration, Effect, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, UploadsGone } from "../../domain/publishing/platformError.ts"
import { threads } from "./facts.ts"
import type { AccountAccess, PlatformAdapter, PlatformFile } from "../PlatformClient.ts"
import { Processing, Uploaded } from "../PlatformClient.ts"
import { uploadsReader } from "../preparedPost.ts"
import type { makeCreation, Wanted } from "./create.ts"
import type { Kind } from "./timeline.ts"
import { ThreadsId } from "./syntax.ts"

/** A file that Threads fetches while it makes the post's container. */
const SentFile = Schema.Struct({
  hash: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  kind: Schema.Literals(["IMAGE", "VIDEO"]),
  alt: Schema.String
})
type SentFile = typeof SentFile.Type

/** One file is part of the post's own container. Several have containers of their own, as children of the post's. */
const ThreadsUploads = Schema.Union([
  Schema.Struct({ file: SentFile }),
  Schema.Struct({ children: Schema.Array(ThreadsId), madeAt: Schema.DateTimeUtcFromString })
])
type ThreadsUploads = typeof ThreadsUploads.Type
const encodeUploads = Schema.encodeSync(ThreadsUploads)

export const readUploads = uploadsReader("Threads", ThreadsUploads)

/** The children so far, each with the progress of `create.ts`; null for a child that has not begun. */
const Begun = Schema.Array(Schema.Struct({ isReady: Schema.Boolean, begun: Schema.NullOr(Schema.Json) }))
type Begun = typeof Begun.Type
const readBegun = Schema.decodeUnknownOption(Begun)

/** Children that are almost as old as Threads keeps them are made again. */
const childLifetime = Duration.hours(threads.limits.containerHours - 1)

/** The time between two questions about a file. */
export const filePause = { IMAGE: Duration.seconds(5), VIDEO: Duration.seconds(20), CAROUSEL: Duration.seconds(5) }

const toSent = ({ alt, contentType, hash, size, type }: PlatformFile): SentFile => ({
  hash,
  contentType,
  size,
  kind: type === "video" ? "VIDEO" : "IMAGE",
  alt
})

/** The members that name a file. A new link is made for each container. */
const fileForm = (account: AccountAccess, { alt, kind, ...file }: SentFile): Effect.Effect<Wanted, PlatformError> =>
  Effect.map(account.files.share(file), ({ id, url }) => ({
    form: {
      media_type: kind,
      [kind === "VIDEO" ? "video_url" : "image_url"]: url,
      ...(alt === "" ? {} : { alt_text: alt })
    },
    links: [id]
  }))

export const kindOf = (uploads: ThreadsUploads | undefined): Kind =>
  uploads === undefined ? "TEXT" : "file" in uploads ? uploads.file.kind : "CAROUSEL"

/** The kind of a post with these uploads, and the form of its container without the text. */
export const mediaOf = Effect.fnUntraced(function* (
  uploads: ThreadsUploads | undefined
): Effect.fn.Return<
  { readonly kind: Kind; readonly form: (account: AccountAccess) => Effect.Effect<Wanted, PlatformError> },
  UploadsGone
> {
  if (uploads === undefined) {
    return { kind: "TEXT", form: () => Effect.succeed({ form: { media_type: "TEXT" }, links: [] }) }
  }
  if ("file" in uploads) return { kind: uploads.file.kind, form: (account) => fileForm(account, uploads.file) }
  if (DateTime.isGreaterThan(yield* DateTime.now, DateTime.addDuration(uploads.madeAt, childLifetime))) {
    return yield* new UploadsGone({ message: "Threads has forgotten the files of this post" })
  }
  const form = { media_type: "CAROUSEL", children: uploads.children.join(",") }
  return { kind: "CAROUSEL", form: () => Effect.succeed({ form, links: [] }) }
})

/** Makes the children of a post with several files. Others can't see them, and Threads forgets them after a day. */
export const makeUpload = ({
  ready
}: Pick<ReturnType<typeof makeCreation>, "ready">): NonNullable<PlatformAdapter["upload"]> => {
  const advance = (
    file: PlatformFile,
    child: Begun[number],
    account: AccountAccess
  ): Effect.Effect<
    Begun[number] & { readonly container?: string; readonly madeAt?: DateTime.Utc },
    PlatformError | DatabaseUnavailable
  > => {
    const sent = toSent(file)
    const wanted = Effect.map(fileForm(account, sent), ({ form, links }) => ({
      form: { ...form, is_carousel_item: "true" },
      links
    }))
    return ready(account, child.begun, wanted, filePause[sent.kind]).pipe(
      Effect.map(({ container, madeAt }) => ({ isReady: true, begun: child.begun, container, madeAt })),
      Effect.catchTag("Preparing", ({ begun }) => Effect.succeed({ isReady: false, begun }))
    )
  }

  return Effect.fn("Threads.upload")(function* (files, account, begun) {
    const [only, ...more] = files
    if (only !== undefined && more.length === 0) {
      return Uploaded({ uploads: encodeUploads({ file: toSent(only) }) })
    }
    const known = readBegun(begun)
    const before = known._tag === "Some" && known.value.length === files.length ? known.value : undefined
    const children = yield* Effect.forEach(files, (file, index) =>
      advance(file, before?.[index] ?? { isReady: false, begun: null }, account)
    )
    const made = children.flatMap(({ container, madeAt }) =>
      container === undefined || madeAt === undefined ? [] : [{ container, madeAt }]
    )
    if (made.length === files.length) {
      const madeAt = made.map((each) => each.madeAt).reduce((a, b) => DateTime.min(a, b))
      return Uploaded({ uploads: encodeUploads({ children: made.map(({ container }) => container), madeAt }) })
    }
    const pauses = files.map((file) => filePause[toSent(file).kind])
    return Processing({
      begun: children.map((child) => ({ isReady: child.isReady, begun: child.begun })),
      askAfter: pauses.reduce((a, b) => Duration.max(a, b))
    })
  })
}
