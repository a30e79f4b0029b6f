import { Context, Result } from "effect"
import { InvalidRequest } from "../errors.ts"
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
  /** The site that it is on. */
  readonly site: string
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

/** Refuses a URL, with what was expected instead. */
export const invalidUrl = (message: string): InvalidRequest => {
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

/** The address of a post that holds whatever its account is called. */
export const lastingUrl = (platform: LivePlatform, { key, site }: PlatformPost, accountId: string): string =>
  `${site}${addresses[platform].lasting(key, accountId)}`
