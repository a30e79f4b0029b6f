import { Duration } from "effect"
import type { SandboxAccount } from "./entry.ts"

export interface ConsentRequest {
  readonly redirectUri: string
  readonly challenge: string
}

/** The consent behind a code that is not exchanged yet. */
interface PendingCode extends ConsentRequest {
  readonly account: SandboxAccount
  readonly until: number
}

/** In memory only. */
export interface Codes {
  readonly put: (code: string, account: SandboxAccount, request: ConsentRequest, now: number) => void
  /** A code works once. Undefined if it is unknown or has expired. */
  readonly take: (code: string, now: number) => PendingCode | undefined
}

const lifetime = Duration.toMillis(Duration.minutes(10))

export const makeCodes = (): Codes => {
  const codes = new Map<string, PendingCode>()
  return {
    put: (code, account, request, now) => void codes.set(code, { ...request, account, until: now + lifetime }),
    take: (code, now) => {
      const pending = codes.get(code)
      codes.delete(code)
      return pending === undefined || now >= pending.until ? undefined : pending
    }
  }
}
