import { Effect } from "effect"
import { Notifier } from "../notifier/Notifier.ts"
import { Repo } from "../repo/Repo.ts"

const batchSize = 100

const reason = "the service can no longer read its stored credentials"

/**
 * Disconnects accounts whose credentials no key decrypts, notifies their workspaces, and returns the number. The
 * credentials stay stored, because the key may be found.
 */
export const forgetCredentials = Effect.gen(function* () {
  const { integrations, transaction } = yield* Repo
  const { integrationDisconnected } = yield* Notifier
  const markBatch = transaction(
    Effect.tap(integrations.markUnreadable(batchSize), (accounts) =>
      Effect.forEach(accounts, (account) => integrationDisconnected(account.workspaceId, account, reason), {
        discard: true
      })
    )
  )
  let count = 0
  for (;;) {
    const { length } = yield* markBatch
    count += length
    if (length < batchSize) return count
  }
}).pipe(Effect.withSpan("forgetCredentials"))
