import { Result } from "effect"
import type { InvalidRequest } from "../errors.ts"
import type { PostId } from "../ids.ts"
import type { LivePlatform } from "../platform.ts"
import type { Rules } from "../posts/platformRules.ts"
import { invalidUrl, lastingUrl, type PlatformPost } from "./postUrl.ts"

export interface KnownAccount {
  readonly accountId: string
  /** The last known handle; null if only another account's is known. */
  readonly username: string | null
}

/**
 * Refuses a URL of another account. Platforms show a post under any handle, and accounts change their handles, so the
 * error for an unknown handle offers a URL that stays valid.
 */
export const checkAccount = (
  rules: Rules,
  platform: LivePlatform,
  { accountId, username }: KnownAccount,
  post: PlatformPost
): Result.Result<void, InvalidRequest> => {
  const { account } = post
  if (account === undefined || account === accountId) return Result.void
  if (rules[platform]?.isAccountId?.(account) === true) {
    return Result.fail(invalidUrl(`Expected the URL of a post of ${accountId}; this one is of ${account}`))
  }
  if (username === null || account.toLowerCase() === username.toLowerCase()) return Result.void
  const lasting = lastingUrl(platform, post, accountId)
  return Result.fail(
    invalidUrl(
      `Expected the URL of a post of @${username}; this one names @${account}. If that is its name now, use ${lasting}`
    )
  )
}

export interface KnownTarget extends KnownAccount {
  readonly parentId: string | null
}

export const checkNamed = (
  rules: Rules,
  platform: LivePlatform,
  id: PostId,
  target: KnownTarget,
  post: PlatformPost
): Result.Result<void, InvalidRequest> =>
  Result.flatMap(checkAccount(rules, platform, target, post), () => {
    const refusal = rules[platform]?.refuseNamed?.(post.key, { id, parentId: target.parentId })
    return refusal === undefined ? Result.void : Result.fail(invalidUrl(refusal))
  })
