import { Effect, Option, Schema, Semaphore } from "effect"
import { MediaUnavailable } from "../../domain/errors.ts"
import { type MediaStoreId, nextMediaStoreId } from "../../domain/ids.ts"
import { Repo } from "../../repo/Repo.ts"

/** The store does not hold this database's files. `message` is one line for the operator. */
class ForeignMediaStore extends Schema.TaggedError<ForeignMediaStore>()("ForeignMediaStore", {
  message: Schema.String
}) {}

export interface IdentityFile {
  readonly name: string
  readonly find: Effect.Effect<Option.Option<MediaStoreId>, MediaUnavailable>
  /** Writes the id unless the store already has an id. */
  readonly create: (id: MediaStoreId) => Effect.Effect<void, MediaUnavailable>
  readonly hasFiles: Effect.Effect<boolean, MediaUnavailable>
}

export const identityName = "store-id"

const refuse = (name: string, reason: string) => new ForeignMediaStore({ message: `${name}: ${reason}` })

/**
 * Fails if the database knows another store, such as if a volume is not mounted or belongs to another database. An
 * empty store belongs to no database yet.
 */
const checkIdentity = Effect.fnUntraced(function* ({ find, hasFiles, name }: IdentityFile) {
  const { media } = yield* Repo
  const known = Option.getOrUndefined(yield* media.findStoreId)
  const found = Option.getOrUndefined(yield* find)
  if (known === found) return
  if (known === undefined) {
    if (!(yield* hasFiles)) return
    return yield* refuse(
      name,
      `holds the media of another database; to use it with this one, remove its file ${identityName}`
    )
  }
  return yield* found === undefined
    ? refuse(
        name,
        `does not hold the media of this database. Mount or copy it there; processes on several machines need MEDIA_S3_BUCKET. If the media is lost, write ${known} into the file ${identityName} there`
      )
    : refuse(name, `holds the media of another database: its ${identityName} is ${found}, this database's is ${known}`)
})

/**
 * Gives the store an id before its first file, and records the id in the database. Several processes can do this
 * together. Fails if the database has recorded another store since this process began: that store has files.
 */
const claimIdentity = Effect.fnUntraced(function* ({ create, find, name }: IdentityFile, { media }: Repo["Service"]) {
  const foreign = new MediaUnavailable({
    operation: "claiming the store",
    cause: new Error(`${name} is not the store that holds the media of this database`)
  })
  // Read first, because the store's own id is written before the database's.
  const isKnown = Option.isSome(yield* media.findStoreId)
  if (Option.isNone(yield* find)) {
    if (isKnown) return yield* foreign
    yield* create(yield* nextMediaStoreId)
  }
  const found = Option.getOrUndefined(yield* find)
  if (found === undefined || (yield* media.claimStoreId(found)) !== found) return yield* foreign
})

/** `claim` has to run before each write. */
export const makeStoreClaim = Effect.fnUntraced(function* (identity: IdentityFile) {
  yield* checkIdentity(identity)
  const repo = yield* Repo
  const lock = yield* Semaphore.make(1)
  let isClaimed = false
  const claim = claimIdentity(identity, repo).pipe(
    Effect.tap(() =>
      Effect.sync(() => {
        isClaimed = true
      })
    ),
    Effect.catchTag("DatabaseUnavailable", (cause) => new MediaUnavailable({ operation: "claiming the store", cause }))
  )
  return { claim: lock.withPermits(1)(Effect.suspend(() => (isClaimed ? Effect.void : claim))) }
})
