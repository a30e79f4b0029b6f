import { Effect, Schema } from "effect"
import { CredentialsUnreadable } from "../domain/errors.ts"
import type { IntegrationId } from "../domain/ids.ts"
import { Unavailable } from "../domain/publishing/platformError.ts"
import { noFiles } from "../platforms/MediaFiles.ts"
import type { AccountAccess } from "../platforms/PlatformClient.ts"
import type { Integrations } from "../repo/integrations/Integrations.ts"

const orUnavailable = <A, E, R>(credentials: Effect.Effect<A, E | CredentialsUnreadable, R>) =>
  Effect.catchIf(credentials, Schema.is(CredentialsUnreadable), ({ message }) => new Unavailable({ message }))

interface StoredAccount {
  readonly id: IntegrationId
  readonly accountId: string
  readonly username: string
  readonly serviceUrl: string | null
}

/** Everything that a call to the platform needs, without a claim. It has no media files, so it sends no post. */
export const accountAccess = (
  integrations: Integrations,
  { accountId, id, serviceUrl, username }: StoredAccount
): AccountAccess => ({
  integrationId: id,
  accountId,
  username,
  serviceUrl,
  credentials: {
    current: orUnavailable(integrations.credentials(id, accountId)),
    refresh: (stale, renew) => orUnavailable(integrations.refreshCredentials(id, stale, renew, accountId))
  },
  files: noFiles
})
