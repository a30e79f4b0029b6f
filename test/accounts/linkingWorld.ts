import { Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { AccountLinking } from "../../src/platforms/AccountLinking.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { platformHttpLayer } from "../support/http/platformHttpLayer.ts"
import { baseUrl } from "../support/http/server.ts"

/** A database of its own, with the sandbox as the platforms on which accounts are linked. */
export const linkingWorld = Layer.unwrap(
  Effect.map(Sandbox, (sandbox) => AccountLinking.layer(sandbox.platforms(baseUrl), baseUrl, "sandbox"))
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(Sandbox.layer(), platformHttpLayer, SecureRandom.layerWebCrypto, Digest.layerWebCrypto, repoLayer)
  )
)
