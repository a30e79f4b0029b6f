import { DateTime } from "effect"
import { accountName, platformName, renewsAccess } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"
import type { DueAccount } from "./duePost.ts"
import type { Finding } from "./finding.ts"

/** A platform's answer about an account. */
export type AccountAnswer =
  | { readonly _tag: "Accepted" }
  | { readonly _tag: "Refused"; readonly reason: string }
  | { readonly _tag: "Unchecked"; readonly reason: string }

const reconnect = "Connect the account again"

/** The day alone could be the post's own, and another one in the reader's zone. */
const minuteOf = (time: DateTime.Utc): string => DateTime.formatIso(time).replace(/T(\d\d:\d\d).*$/, " at $1 UTC")

/** `account` is the workspace's on the platform, or undefined if it never had one. */
export const findAccountFaults = (
  platform: LivePlatform,
  account: DueAccount | undefined,
  due: DateTime.Utc,
  answer: AccountAnswer | undefined
): ReadonlyArray<Finding> => {
  const of = (found: Pick<Finding, "code" | "level" | "message" | "help">): Finding => ({
    ...found,
    platform,
    integration_id: account?.id ?? null
  })
  const name = platformName(platform)
  if (account === undefined || account.status === "disconnected") {
    return [
      of({
        code: "account_missing",
        level: "needs_you",
        message: `The workspace has no account on ${name} any more`,
        help: `Connect an account on ${name}, or remove ${name} from the post`
      })
    ]
  }
  const who = accountName(platform, account.username)
  if (account.status === "needs_reconnect" || answer?._tag === "Refused") {
    const reason = answer?._tag === "Refused" ? `: ${answer.reason}` : ""
    return [
      of({
        code: "account_lost",
        level: "needs_you",
        message: `${name} no longer accepts the account ${who}${reason}`,
        help: reconnect
      })
    ]
  }
  const { accessUntil } = account
  if (accessUntil !== null && !renewsAccess(platform) && !DateTime.isGreaterThan(accessUntil, due)) {
    return [
      of({
        code: "access_ending",
        level: "needs_you",
        message: `The access to ${who} on ${name} ends on ${minuteOf(accessUntil)}, before the post's time`,
        help: `${reconnect} before the post's time`
      })
    ]
  }
  return answer?._tag === "Unchecked"
    ? [
        of({
          code: "account_unchecked",
          level: "note",
          message: `It could not be checked whether ${name} accepts the account ${who}: ${answer.reason}`,
          help: "Check again later; if this stays, connect the account again"
        })
      ]
    : []
}
