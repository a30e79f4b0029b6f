import { Duration } from "effect"
import type { SandboxAccount } from "./entry.ts"

export interface ConsentRequest {
  readonly redirectUri: string
  readonly challenge: string
}

interface PendingCode extends ConsentRequest {
  readonly account: SandboxAccount
  readonly until: number
}

const lifetime = Duration.toMillis(Duration.minutes(10))

/** In memory only. */
export const makeCodes = () => {
  const codes = new Map<string, PendingCode>()
  return {
    put: (code: string, account: SandboxAccount, request: ConsentRequest, now: number) =>
      void codes.set(code, { ...request, account, until: now + lifetime }),
    /** A code works once. */
    take: (code: string, now: number) => {
      const pending = codes.get(code)
      codes.delete(code)
      return pending === undefined || now >= pending.until ? undefined : pending
    }
  }
}

export type Codes = ReturnType<typeof makeCodes>
