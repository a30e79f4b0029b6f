import { Clock, Duration, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { SandboxAccount } from "./entry.ts"

export interface ConsentRequest {
  readonly redirectUri: string
  /** The code challenge of PKCE. */
  readonly challenge: string
}

/** The consent behind a code that is not exchanged yet. */
interface PendingCode extends ConsentRequest {
  readonly account: SandboxAccount
  readonly until: number
}

/** In memory only. */
export interface Codes {
  readonly issue: (account: SandboxAccount, request: ConsentRequest) => Effect.Effect<string>
  /** A code works once. Undefined if it is unknown or has expired. */
  readonly take: (code: string, now: number) => PendingCode | undefined
}

const lifetime = Duration.toMillis(Duration.minutes(10))

export const makeCodes = (random: SecureRandom.SecureRandom["Service"]): Codes => {
  const codes = new Map<string, PendingCode>()
  return {
    issue: Effect.fnUntraced(function* (account, request) {
      const code = Base64Url.encode(yield* random.randomBytes(24))
      codes.set(code, { ...request, account, until: (yield* Clock.currentTimeMillis) + lifetime })
      return code
    }),
    take: (code, now) => {
      const pending = codes.get(code)
      codes.delete(code)
      return pending === undefined || now >= pending.until ? undefined : pending
    }
  }
}
