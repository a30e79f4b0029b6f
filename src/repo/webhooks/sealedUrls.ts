import { Effect, Redacted, Schema } from "effect"
import type { CredentialsUnreadable } from "../../domain/errors.ts"
import type { WebhookId } from "../../domain/ids.ts"
import { maskUrl } from "../../domain/webhooks/maskedUrl.ts"
import { CredentialCipher } from "../integrations/CredentialCipher.ts"
import { urlCell } from "./rows.ts"

/** Plain if the previous version wrote it. */
export const StoredUrl = Schema.Struct({
  sealedUrl: Schema.NullOr(Schema.Uint8Array),
  plainUrl: Schema.String
})

export const storedUrlColumns = `sealed_url AS "sealedUrl",
  CASE WHEN sealed_url IS NULL THEN url ELSE '' END AS "plainUrl"`

export const SealedUrl = Schema.Struct({ sealedUrl: Schema.Uint8Array, maskedUrl: Schema.String })

export const makeSealedUrls = Effect.gen(function* () {
  const cipher = yield* CredentialCipher
  return {
    seal: (id: WebhookId, url: string): Effect.Effect<typeof SealedUrl.Type> =>
      Effect.map(cipher.seal(urlCell(id), Redacted.make(url)), (sealedUrl) => ({ sealedUrl, maskedUrl: maskUrl(url) })),
    open: (
      id: WebhookId,
      { plainUrl, sealedUrl }: typeof StoredUrl.Type
    ): Effect.Effect<Redacted.Redacted, CredentialsUnreadable> =>
      sealedUrl === null ? Effect.succeed(Redacted.make(plainUrl)) : cipher.open(urlCell(id), sealedUrl)
  }
})
