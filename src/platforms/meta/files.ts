import { DateTime, Duration, Effect, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, UploadsGone } from "../../domain/publishing/platformError.ts"
import type { AccountAccess, PlatformAdapter, PlatformFile } from "../PlatformClient.ts"
import { Processing, Uploaded } from "../PlatformClient.ts"
import { uploadsReader } from "../preparedPost.ts"
import type { Creation, Wanted } from "./create.ts"
import type { Dialect, Form } from "./dialect.ts"
import { SentFile } from "./sentFile.ts"
import { MetaId } from "./syntax.ts"

/** One file is part of the post's own container. Several have containers of their own, as children of the post's. */
const MetaUploads = Schema.Union([
  Schema.Struct({ file: SentFile }),
  Schema.Struct({
    children: Schema.Array(MetaId),
    madeAt: Schema.DateTimeUtcFromString,
    /** The API that made the children, if its platform has several. */
    api: Schema.optionalKey(Schema.String)
  })
])
export type MetaUploads = typeof MetaUploads.Type
const encodeUploads = Schema.encodeSync(MetaUploads)

export const makeReadUploads = (platform: string) => uploadsReader(platform, MetaUploads)

/** The children so far, each with the progress of `create.ts`; null for a child that has not begun. */
const Begun = Schema.Array(Schema.Struct({ isReady: Schema.Boolean, begun: Schema.NullOr(Schema.Json) }))
type Begun = typeof Begun.Type
const readBegun = Schema.decodeUnknownOption(Begun)

/** The time between two questions about a file. */
export const filePause = { IMAGE: Duration.seconds(5), VIDEO: Duration.seconds(20), CAROUSEL: Duration.seconds(5) }

const toSent = ({ alt, contentType, hash, size, type }: PlatformFile): SentFile => ({
  hash,
  contentType,
  size,
  kind: type === "video" ? "VIDEO" : "IMAGE",
  alt
})

/** The form of a container with a file. A new link is made for each container. */
export const formWithFile = (
  account: AccountAccess,
  { contentType, hash, size }: SentFile,
  form: (url: string) => Form
): Effect.Effect<Wanted, PlatformError> =>
  Effect.map(account.files.share({ contentType, hash, size }), ({ id, url }) => ({ form: form(url), links: [id] }))

const apiOf = ({ readAccess }: Pick<Dialect, "readAccess">, { credentials }: Pick<AccountAccess, "credentials">) =>
  Effect.flatMap(credentials.current, (current) =>
    Effect.map(Effect.fromResult(readAccess(current)), ({ api }) => (api === undefined ? {} : { api }))
  )

/**
 * The form of a container with children. They are made again if they are almost as old as the platform keeps them, or
 * if the account was connected in another way since.
 */
export const formWithChildren = Effect.fnUntraced(function* (
  dialect: Dialect,
  { api, children, madeAt }: Extract<MetaUploads, { readonly children: unknown }>,
  account: AccountAccess
): Effect.fn.Return<Wanted, PlatformError | UploadsGone | DatabaseUnavailable> {
  const { containerHours, name } = dialect
  if ((yield* apiOf(dialect, account)).api !== api) {
    return yield* new UploadsGone({ message: `The files of this post were given to ${name} through another login` })
  }
  const end = DateTime.addDuration(madeAt, Duration.hours(containerHours - 1))
  if (DateTime.isGreaterThan(yield* DateTime.now, end)) {
    return yield* new UploadsGone({ message: `${name} has forgotten the files of this post` })
  }
  return { form: { media_type: "CAROUSEL", children: children.join(",") }, links: [] }
})

/** Makes the children of a post with several files. Others can't see them, and Meta forgets them after a day. */
export const makeUpload = (dialect: Dialect, { ready }: Creation): NonNullable<PlatformAdapter["upload"]> => {
  const { childForm, name } = dialect
  const advance = (
    file: PlatformFile,
    child: Begun[number],
    account: AccountAccess
  ): Effect.Effect<
    Begun[number] & { readonly container?: string; readonly madeAt?: DateTime.Utc },
    PlatformError | UploadsGone | DatabaseUnavailable
  > => {
    const sent = toSent(file)
    const wanted = formWithFile(account, sent, (url) => ({ ...childForm(sent, url), is_carousel_item: "true" }))
    return ready(account, child.begun, () => wanted, filePause[sent.kind]).pipe(
      Effect.map(({ container, madeAt }) => ({ isReady: true, begun: child.begun, container, madeAt })),
      Effect.catchTag("Preparing", ({ begun }) => Effect.succeed({ isReady: false, begun }))
    )
  }

  return Effect.fn(`${name}.upload`)(function* (files, account, begun) {
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
      const api = yield* apiOf(dialect, account)
      return Uploaded({ uploads: encodeUploads({ children: made.map(({ container }) => container), madeAt, ...api }) })
    }
    const pauses = files.map((file) => filePause[toSent(file).kind])
    return Processing({
      begun: children.map((child) => ({ isReady: child.isReady, begun: child.begun })),
      askAfter: pauses.reduce((a, b) => Duration.max(a, b))
    })
  })
}
