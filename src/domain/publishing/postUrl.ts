import { Context, DateTime, Duration, Result } from "effect"
import { InvalidRequest } from "../errors.ts"
import { type PostId, smallestIdAt } from "../ids.ts"
import { formatIssues } from "../issues.ts"
import { platformNames } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"

/** The sites where people see posts, without a slash at the end. */
export type PostSites = Readonly<Record<LivePlatform, string>>

/** Beside the platforms' own addresses, those that the service itself gives to posts, such as the sandbox's. */
export const PostSites = Context.Reference<PostSites>("social-publisher/domain/PostSites", {
  defaultValue: () => ({ twitter: "https://x.com", bluesky: "https://bsky.app" })
})

/** A post on its platform, as its URL names it. */
export interface PlatformPost {
  readonly url: string
  /** X's id of the post, or the key of its record on Bluesky. */
  readonly key: string
  /** The handle or the DID of the account that the URL names; absent where it names none. */
  readonly account?: string
  /** The site that it is on; by default the platform's own. */
  readonly site?: string
}

/** What is known of the account that a target goes out from. */
export interface KnownAccount {
  /** The platform's own id of it; a DID on Bluesky. */
  readonly accountId: string
  /** Its last known handle; null where only another account's is known. */
  readonly username: string | null
}

interface Addresses {
  readonly hosts: ReadonlyArray<string>
  /** The path of a post on its site, with the groups `account`, if it names one, and `key`. */
  readonly path: RegExp
  readonly example: string
  /** The path of a post that depends on no handle. */
  readonly lasting: (key: string, accountId: string) => string
}

const addresses: Readonly<Record<LivePlatform, Addresses>> = {
  twitter: {
    hosts: ["x.com", "www.x.com", "mobile.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"],
    path: /^\/(?:i\/web|i|(?<account>[^/]+))\/status\/(?<key>[1-9]\d{0,18})(?:\/|$)/,
    example: "https://x.com/acme/status/1892345678901234567",
    lasting: (key) => `/i/status/${key}`
  },
  bluesky: {
    hosts: ["bsky.app", "www.bsky.app", "main.bsky.dev"],
    path: /^\/profile\/(?<account>[^/]+)\/post\/(?<key>[\w.:~-]{1,512})\/?$/,
    example: "https://bsky.app/profile/acme.example/post/3lhxkz7ab2c2d",
    lasting: (key, accountId) => `/profile/${accountId}/post/${key}`
  }
}

const invalidUrl = (message: string): InvalidRequest => {
  const errors = [{ path: ["url"], message }]
  return new InvalidRequest({ message: formatIssues(errors), errors })
}

/** The site of a URL, and the path of a page on it; undefined where it is none of the platform's. */
const placeOf = (platform: LivePlatform, url: URL, site: string) => {
  const { origin, pathname, protocol, host } = url
  if (`${origin}${pathname}`.startsWith(`${site}/`)) return { site, path: `${origin}${pathname}`.slice(site.length) }
  return protocol === "https:" && addresses[platform].hosts.includes(host)
    ? { site: origin, path: pathname }
    : undefined
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads the URL of a post, without what follows its path. `site` is where the service itself says that posts are. */
export const readPostUrl = (
  platform: LivePlatform,
  text: string,
  site = PostSites.defaultValue()[platform]
): Result.Result<PlatformPost, InvalidRequest> => {
  const { example, path } = addresses[platform]
  const url = URL.parse(text)
  const place = url === null ? undefined : placeOf(platform, url, site)
  const { account, key } = (place && path.exec(place.path)?.groups) ?? {}
  if (url === null || place === undefined || key === undefined) {
    return Result.fail(invalidUrl(`Expected the URL of a post on ${platformNames[platform]}, such as ${example}`))
  }
  return Result.succeed({
    url: `${url.origin}${url.pathname}`,
    key,
    ...(account === undefined ? {} : { account: decoded(account) }),
    site: place.site
  })
}

/**
 * Refuses a URL that names another account. X shows a post under any handle, and both platforms let accounts rename themselves: so
 * a handle that is not known is refused with the address that holds whatever the account is called.
 */
export const checkAccount = (
  platform: LivePlatform,
  { accountId, username }: KnownAccount,
  { account, key, site = PostSites.defaultValue()[platform] }: PlatformPost
): Result.Result<void, InvalidRequest> => {
  if (account === undefined || account === accountId) return Result.void
  if (platform === "bluesky" && account.startsWith("did:")) {
    return Result.fail(invalidUrl(`Expected the URL of a post of ${accountId}; this one is of ${account}`))
  }
  if (username === null || account.toLowerCase() === username.toLowerCase()) return Result.void
  const lasting = `${site}${addresses[platform].lasting(key, accountId)}`
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

const keyDigits = "234567abcdefghijklmnopqrstuvwxyz"

/**
 * The ids that the target of a record on Bluesky may have, by the time in its key, if the service has chosen that: from the first
 * one on and before the second. The parts of a thread are microseconds later than their target.
 */
export const targetIdsOfKey = (key: string): readonly [from: string, before: string] | undefined => {
  if (!/^[2-7a-j][2-7a-z]{12}$/.test(key)) return undefined
  const bits = Array.from(key).reduce((sum, digit) => (sum << 5n) | BigInt(keyDigits.indexOf(digit)), 0n)
  const millis = Number((bits >> 10n) / 1000n)
  return [smallestIdAt(DateTime.makeUnsafe(millis - 1)), smallestIdAt(DateTime.makeUnsafe(millis + 1))]
}
