import { Context, Effect, Layer, Redacted } from "effect"
import { Aead, type CryptoError, Digest, Mac, SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { createDecipheriv, createSecretKey, type KeyObject } from "node:crypto"
import { CredentialsUnreadable } from "../../domain/errors.ts"

const format = 1
const keyIdLength = 8
const nonceAt = 1 + keyIdLength
const ciphertextAt = nonceAt + Aead.aes256Gcm.nonceLength

const unreadable = new CredentialsUnreadable({
  message: "The stored credentials can't be decrypted: the key that encrypted them is not in ENCRYPTION_KEY"
})

const tagLength = 16

const associatedData = (row: string) => new TextEncoder().encode(row)

const decrypt = (key: KeyObject, row: string, sealed: Uint8Array): Redacted.Redacted => {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(nonceAt, ciphertextAt), {
    authTagLength: tagLength
  })
  decipher.setAAD(associatedData(row))
  decipher.setAuthTag(sealed.subarray(-tagLength))
  const text = decipher.update(sealed.subarray(ciphertextAt, -tagLength), undefined, "utf8")
  return Redacted.make(text + decipher.final("utf8"))
}

/**
 * Encrypts credentials at rest with AES-256-GCM. A sealed value is a format byte, eight bytes that identify the key,
 * the nonce and the ciphertext. Its row is associated data, so it can't be opened in another row.
 */
export class CredentialCipher extends Context.Service<
  CredentialCipher,
  {
    /** `row` is the row and column that the sealed value is stored in. */
    readonly seal: (row: string, secret: Redacted.Redacted) => Effect.Effect<Uint8Array>
    readonly open: (row: string, sealed: Uint8Array) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
    readonly isCurrent: (sealed: Uint8Array) => boolean
    /** The first bytes of values sealed by these keys, in hexadecimal. */
    readonly headers: ReadonlyArray<string>
  }
>()("social-publisher/repo/CredentialCipher") {
  /** The first key encrypts; all keys decrypt. Each has 32 bytes. */
  static readonly layer = (
    keys: readonly [Redacted.Redacted<Uint8Array>, ...ReadonlyArray<Redacted.Redacted<Uint8Array>>]
  ): Layer.Layer<CredentialCipher, CryptoError.CryptoError, Aead.Aead | Digest.Digest | SecureRandom.SecureRandom> =>
    Layer.effect(
      CredentialCipher,
      Effect.gen(function* () {
        const aead = yield* Aead.Aead
        const digest = yield* Digest.Digest
        const random = yield* SecureRandom.SecureRandom
        const withId = (bytes: Redacted.Redacted<Uint8Array>) =>
          Effect.all({
            key: Aead.key(Aead.aes256Gcm, Redacted.value(bytes)),
            // Node takes four times as long to decrypt with raw bytes.
            keyObject: Effect.sync(() => createSecretKey(Redacted.value(bytes))),
            id: Effect.map(digest.digest(Digest.sha256, Redacted.value(bytes)), (hash) => hash.slice(0, keyIdLength))
          })
        const current = yield* withId(keys[0])
        const all = [current, ...(yield* Effect.forEach(keys.slice(1), withId))]

        const isSealedWith = (key: typeof current, sealed: Uint8Array) =>
          sealed[0] === format && Mac.timingSafeEqual(key.id, sealed.slice(1, nonceAt))

        return CredentialCipher.of({
          isCurrent: (sealed) => isSealedWith(current, sealed),
          headers: all.map(({ id }) => Hex.encode(Uint8Array.of(format, ...id))),
          seal: (row, secret) =>
            Effect.gen(function* () {
              const nonce = yield* random.randomBytes(Aead.aes256Gcm.nonceLength)
              const plaintext = new TextEncoder().encode(Redacted.value(secret))
              const ciphertext = yield* Effect.orDie(
                aead.encrypt(current.key, plaintext, { nonce, aad: associatedData(row) })
              )
              return Uint8Array.of(format, ...current.id, ...nonce, ...ciphertext)
            }),
          open: (row, sealed) => {
            const sealedWith = all.find((key) => isSealedWith(key, sealed))
            if (sealedWith === undefined) return Effect.fail(unreadable)
            // Every send decrypts credentials. WebCrypto takes ten times as long, on another thread.
            return Effect.try({
              try: () => decrypt(sealedWith.keyObject, row, sealed),
              catch: () => unreadable
            })
          }
        })
      })
    )
}
