import { Effect } from "effect"
import { CredentialCipher } from "./CredentialCipher.ts"
import { credentialsCell } from "./credentialStore.ts"
import type { FormerAccess } from "./Integrations.ts"
import type { FormerAccountRow } from "./rows.ts"

/** Null if the credentials can't be read. */
export const makeFormerAccess = Effect.map(
  CredentialCipher,
  (cipher) =>
    ({ accountId, credentials, id, platform, serviceUrl }: FormerAccountRow): Effect.Effect<FormerAccess | null> =>
      credentials === null
        ? Effect.succeed(null)
        : cipher.open(credentialsCell(id), credentials).pipe(
            Effect.map((secret) => ({ platform, accountId, serviceUrl, credentials: secret })),
            Effect.orElseSucceed(() => null)
          )
)
