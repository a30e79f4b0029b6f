import { NodeCrypto, NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { RateLimiter } from "effect/persistence"
import path from "node:path"
import { type Configuration, ConfigurationError } from "../config.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CredentialCipher } from "../repo/integrations/CredentialCipher.ts"
import { databaseLayer } from "../repo/postgres/database.ts"
import { embeddedPostgres } from "../embeddedPostgres/embeddedPostgres.ts"
import { migrate } from "../repo/postgres/migrations.ts"
import { rateLimitStoreLayer } from "../repo/rateLimit/store.ts"
import { Repo } from "../repo/Repo.ts"

const decodeKeys = Schema.decodeUnknownEffect(Schema.NonEmptyArray(Schema.Uint8ArrayFromBase64))

/** The encryption key of an embedded database, made at the first start and kept beside it, readable by its owner alone. */
const keptKey = Effect.fnUntraced(
  function* (dataDir: string) {
    const files = yield* FileSystem.FileSystem
    const random = yield* SecureRandom.SecureRandom
    const file = path.join(dataDir, "encryption-key")
    if (!(yield* files.exists(file))) {
      yield* files.makeDirectory(dataDir, { recursive: true })
      const draft = `${file}.${yield* random.uuidV4()}`
      yield* files.writeFileString(draft, Base64.encode(yield* random.randomBytes(32)), { mode: 0o600 })
      // Two processes may start at once: the first to link its draft gives the key, and the file is never half written.
      yield* Effect.ensuring(Effect.ignore(files.link(draft, file)), Effect.ignore(files.remove(draft)))
    }
    return Redacted.make(yield* files.readFileString(file))
  },
  Effect.mapError((error) => new ConfigurationError({ message: `DATA_DIR: ${error.message}` }))
)

const encryptionKeys = (config: Configuration) =>
  Effect.gen(function* () {
    const list = Option.isSome(config.encryptionKeys) ? config.encryptionKeys.value : yield* keptKey(config.dataDir)
    const [first, ...rest] = yield* Effect.orDie(decodeKeys(Redacted.value(list).trim().split(",")))
    return [Redacted.make(first), ...rest.map((key) => Redacted.make(key))] as const
  })

/** The innermost message, which says what happened; those around it say where. */
const rootMessage = (error: { readonly message: string; readonly cause?: unknown }): string =>
  error.cause instanceof Error ? rootMessage(error.cause) : error.message

/** The configured database, or one of our own where none is configured, with all migrations applied. */
const database = (config: Configuration) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const configured = Option.getOrUndefined(config.databaseUrl)
      const variable = configured === undefined ? "DATA_DIR" : "DATABASE_URL"
      const open = Effect.gen(function* () {
        const url = configured ?? (yield* embeddedPostgres({ dataDir: config.dataDir })).url
        const context = yield* Layer.build(databaseLayer(url))
        yield* Effect.provideContext(migrate, context)
        return context
      })
      return yield* Effect.mapError(
        open,
        (error) => new ConfigurationError({ message: `${variable}: ${rootMessage(error)}` })
      )
    })
  )

/** All that is stored, as the configuration says where. */
export const storage = (config: Configuration) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const keys = yield* encryptionKeys(config)
      return Notifier.layer.pipe(
        Layer.provideMerge(Repo.layer),
        Layer.merge(RateLimiter.layer.pipe(Layer.provide(rateLimitStoreLayer))),
        Layer.provide(CredentialCipher.layer(keys)),
        Layer.provide(database(config))
      )
    })
  ).pipe(Layer.provide([NodeCrypto.layer, NodeFileSystem.layer]))
