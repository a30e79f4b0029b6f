import { Duration, Result } from "effect"
import type { InvalidRequest } from "../errors.ts"
import type { PostId } from "../ids.ts"
import type { LivePlatform } from "../platform.ts"
import { invalidUrl, lastingUrl, type PlatformPost } from "./postUrl.ts"

/** What is known of the account that a target goes out from. */
export interface KnownAccount {
  /** The platform's own id of it; a DID on Bluesky. */
  readonly accountId: string
  /** Its last known handle; null where only another account's is known. */
  readonly username: string | null
}

/**
 * Refuses a URL that names another account. X shows a post under any handle, and both platforms let accounts rename themselves: so
 * a handle that is not known is refused with the address that holds whatever the account is called.
 */
export const checkAccount = (
  platform: LivePlatform,
  { accountId, username }: KnownAccount,
  post: PlatformPost
): Result.Result<void, InvalidRequest> => {
  const { account } = post
  if (account === undefined || account === accountId) return Result.void
  if (platform === "bluesky" && account.startsWith("did:")) {
    return Result.fail(invalidUrl(`Expected the URL of a post of ${accountId}; this one is of ${account}`))
  }
  if (username === null || account.toLowerCase() === username.toLowerCase()) return Result.void
  const lasting = lastingUrl(platform, post, accountId)
  return Result.fail(
    invalidUrl(
      `Expected the URL of a post of @${username}; this one names @${account}. If that is its name by now, use ${lasting}`
    )
  )
}

/** How far the time in an id may be from that of the platform: the clocks of processes are not that far apart. */
const clockSteps = Duration.hours(1)

const millisOf = (id: PostId): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** When X gave an id out, in milliseconds: its upper bits are the time since November 2010. Smaller ids are older than that. */
const twitterMillis = (key: string): number => Number((BigInt(key) >> 22n) + 1_288_834_974_657n)

/** Refuses a post on X that is older than the post here, and so certainly another one. Ids of posts here are UUIDv7. */
export const checkAge = (
  platform: LivePlatform,
  id: PostId,
  { key }: PlatformPost
): Result.Result<void, InvalidRequest> =>
  platform === "twitter" && id[14] === "7" && twitterMillis(key) < millisOf(id) - Duration.toMillis(clockSteps)
    ? Result.fail(invalidUrl("Expected the URL of this post; that one was published before this post was created here"))
    : Result.void

const isXId = (id: string) => /^\d{1,19}$/.test(id)

/**
 * Refuses a post on X that is not newer than the one that it would reply to, and so certainly another one: X's ids grow. `parentId` is
 * null for what replies to nothing.
 */
export const checkOrder = (
  platform: LivePlatform,
  parentId: string | null,
  { key }: PlatformPost
): Result.Result<void, InvalidRequest> =>
  platform === "twitter" && parentId !== null && isXId(parentId) && BigInt(key) <= BigInt(parentId)
    ? Result.fail(invalidUrl("Expected the URL of this part; that post is not newer than the part before it"))
    : Result.void

/** What is known of the post that a target sends: its account, and the id of what it replies to. */
export interface KnownTarget extends KnownAccount {
  readonly parentId: string | null
}

/** Refuses a URL that certainly names another post than the one here. */
export const checkNamed = (
  platform: LivePlatform,
  id: PostId,
  target: KnownTarget,
  post: PlatformPost
): Result.Result<void, InvalidRequest> =>
  checkAccount(platform, target, post).pipe(
    Result.andThen(() => checkAge(platform, id, post)),
    Result.andThen(() => checkOrder(platform, target.parentId, post))
  )
