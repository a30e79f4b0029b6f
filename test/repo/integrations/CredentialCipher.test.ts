import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { CredentialCipher } from "../../../src/repo/integrations/CredentialCipher.ts"

const keyWith = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const cipher = (first: number, ...rest: ReadonlyArray<number>) =>
  Effect.provide(
    CredentialCipher,
    CredentialCipher.layer([keyWith(first), ...rest.map(keyWith)]).pipe(Layer.provide(NodeCrypto.layer))
  )

const secret = Redacted.make("canary-5f1c")

describe("CredentialCipher", () => {
  it.effect("A sealed value can be opened in its own row and in no other", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* cipher(1)
      const sealed = yield* seal("integrations/1/credentials", secret)
      assert.notInclude(Buffer.from(sealed).toString("latin1"), "canary")
      assert.strictEqual(Redacted.value(yield* open("integrations/1/credentials", sealed)), "canary-5f1c")
      assert.strictEqual((yield* Effect.flip(open("integrations/2/credentials", sealed)))._tag, "CredentialsUnreadable")
    })
  )

  it.effect("Sealing a secret twice gives different values, and a value with a changed byte can't be opened", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* cipher(1)
      const sealed = yield* seal("row", secret)
      assert.notDeepEqual(sealed, yield* seal("row", secret))
      for (let index = 0; index < sealed.length; index++) {
        const changed = Uint8Array.from(sealed, (byte, at) => (at === index ? byte ^ 1 : byte))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(open("row", changed))), `byte ${index}`)
      }
    })
  )

  it.effect("An older key opens what it sealed as long as it is in the list", () =>
    Effect.gen(function* () {
      const old = yield* cipher(1)
      const rotated = yield* cipher(2, 1)
      const sealed = yield* old.seal("row", secret)
      assert.isFalse(rotated.isCurrent(sealed))
      assert.isTrue(rotated.isCurrent(yield* rotated.seal("row", secret)))
      assert.strictEqual(Redacted.value(yield* rotated.open("row", sealed)), "canary-5f1c")
      const error = yield* Effect.flip((yield* cipher(2)).open("row", sealed))
      assert.include(error.message, "ENCRYPTION_KEY")
    })
  )
})
