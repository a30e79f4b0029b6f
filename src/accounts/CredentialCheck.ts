import { Context, Effect, Layer, Metric, Ref } from "effect"
import { counted } from "../domain/counted.ts"
import { pollInterval } from "../domain/pollInterval.ts"
import { Repo } from "../repo/Repo.ts"
import type { CredentialCount } from "../repo/integrations/unreadableCredentials.ts"

const unreadableAccounts = Metric.gauge("credentials_unreadable_accounts", {
  description: "Connected accounts whose credentials no key of ENCRYPTION_KEY decrypts"
})

/**
 * The interval of the checks while this process may publish. They continue, because a process with another key may
 * store credentials that this one can't read.
 */
const calmInterval = "1 minute"

const isBlocked = ({ connected, unreadable }: CredentialCount) => unreadable > 0 && unreadable === connected

export const describeUnreadable = (count: CredentialCount) =>
  isBlocked(count)
    ? "no key of ENCRYPTION_KEY decrypts the credentials of any account, so nothing is published; if the key is lost, run the command integration forget-credentials"
    : `no key of ENCRYPTION_KEY decrypts the credentials of ${counted(count.unreadable, "account")}; the command integration list names them`

export class CredentialCheck extends Context.Service<
  CredentialCheck,
  {
    readonly lastCount: Effect.Effect<CredentialCount>
    /**
     * False while accounts are connected and none of their credentials can be decrypted, because attempts would be
     * wasted.
     */
    readonly mayPublish: Effect.Effect<boolean>
  }
>()("social-publisher/accounts/CredentialCheck") {
  static readonly layer = Layer.effect(
    CredentialCheck,
    Effect.gen(function* () {
      const { integrations } = yield* Repo
      const last = yield* Ref.make<CredentialCount>({ connected: 0, unreadable: 0 })
      const check = Effect.gen(function* () {
        const count = yield* integrations.countUnreadable
        const before = yield* Ref.getAndSet(last, count)
        yield* Metric.update(unreadableAccounts, count.unreadable)
        if (count.unreadable === before.unreadable) return
        yield* count.unreadable > 0
          ? Effect.logWarning(`Credentials are unreadable: ${describeUnreadable(count)}`)
          : Effect.logInfo("All credentials are readable again")
      })
      yield* check
      const checkLater = Effect.flatMap(Ref.get(last), (count) =>
        Effect.delay(Effect.ignore(check), isBlocked(count) ? pollInterval : calmInterval)
      )
      yield* Effect.forkScoped(Effect.forever(checkLater))
      return CredentialCheck.of({
        lastCount: Ref.get(last),
        mayPublish: Effect.map(Ref.get(last), (count) => !isBlocked(count))
      })
    })
  )
}
