import { Effect, FileSystem, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import path from "node:path"
import { type Configuration, ConfigurationError } from "../config.ts"

const decodeKeys = Schema.decodeUnknownEffect(Schema.NonEmptyArray(Schema.Uint8ArrayFromBase64))

/** Generated at the first start and kept in DATA_DIR, which exists. Only its owner can read it. */
const generatedKey = Effect.fnUntraced(
  function* (dataDir: string) {
    const files = yield* FileSystem.FileSystem
    const random = yield* SecureRandom.SecureRandom
    const file = path.join(dataDir, "encryption-key")
    if (!(yield* files.exists(file))) {
      const draft = `${file}.${yield* random.uuidV4()}`
      yield* files.writeFileString(draft, Base64.encode(yield* random.randomBytes(32)), { mode: 0o600 })
      // Two processes may start together: the first to link its draft wins, and the file is complete from the start.
      yield* Effect.ensuring(Effect.ignore(files.link(draft, file)), Effect.ignore(files.remove(draft)))
    }
    return Redacted.make(yield* files.readFileString(file))
  },
  Effect.mapError((error) => new ConfigurationError({ message: `DATA_DIR: ${error.message}` }))
)

/** The configured keys, else the generated key. The first encrypts and all decrypt. */
export const encryptionKeys = Effect.fnUntraced(function* (config: Configuration) {
  const list = Option.isSome(config.encryptionKeys) ? config.encryptionKeys.value : yield* generatedKey(config.dataDir)
  const [first, ...rest] = yield* Effect.orDie(decodeKeys(Redacted.value(list).trim().split(",")))
  return [Redacted.make(first), ...rest.map((key) => Redacted.make(key))] as const
})
