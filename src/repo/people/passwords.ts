import { Effect, Option, Redacted, Schema, Semaphore } from "effect"
import { Kdf, Mac, SecureRandom } from "effect/crypto"
import { PasswordsBusy } from "../../domain/errors.ts"

// OWASP's recommended argon2id parameters for log-in: 19 MiB, two passes, one lane.
const algorithm = Kdf.argon2id({ memory: 19_456, passes: 2, parallelism: 1 })
const saltLength = 16
const hashLength = 32

/** Further hashes wait, so that a burst of log-ins leaves the processor to the API. */
const concurrency = 2

/** The number of hashes that complete, two at a time, in the seconds that a person waits. */
const maxPending = 64

const StoredPassword = Schema.fromJsonString(
  Schema.Struct({
    algorithm: Schema.Literal("argon2id-19456-2-1"),
    salt: Schema.Uint8ArrayFromBase64,
    hash: Schema.Uint8ArrayFromBase64
  })
)
const decode = Schema.decodeEffect(StoredPassword)
const encode = Schema.encodeEffect(StoredPassword)

export const makePasswords = Effect.gen(function* () {
  const kdf = yield* Kdf.Kdf
  const random = yield* SecureRandom.SecureRandom
  const permits = yield* Semaphore.make(concurrency)
  const places = yield* Semaphore.make(maxPending)

  const derive = (password: Redacted.Redacted, salt: Uint8Array) =>
    kdf
      .derive(algorithm, new TextEncoder().encode(Redacted.value(password).normalize()), { salt, length: hashLength })
      .pipe(
        Effect.orDie,
        (derived) => permits.withPermit(derived),
        places.withPermitsIfAvailable(1),
        Effect.flatMap(Option.match({ onNone: () => new PasswordsBusy(), onSome: Effect.succeed }))
      )

  const decoySalt = yield* random.randomBytes(saltLength)

  return {
    hash: Effect.fn("Passwords.hash")(function* (password: Redacted.Redacted) {
      const salt = yield* random.randomBytes(saltLength)
      return yield* Effect.orDie(encode({ algorithm: "argon2id-19456-2-1", salt, hash: yield* derive(password, salt) }))
    }),
    /** Takes equally long without a stored hash, so that the time does not reveal which users exist. */
    matches: Effect.fn("Passwords.matches")(function* (password: Redacted.Redacted, stored: Option.Option<string>) {
      if (Option.isNone(stored)) return yield* Effect.as(derive(password, decoySalt), false)
      const { salt, hash } = yield* Effect.orDie(decode(stored.value))
      return Mac.timingSafeEqual(yield* derive(password, salt), hash)
    })
  }
})
