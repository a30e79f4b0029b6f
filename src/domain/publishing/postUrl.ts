import { Context, Record, Result } from "effect"
import { liveFacts } from "../../platforms/facts.ts"
import { InvalidRequest } from "../errors.ts"
import { factsOf, platformName } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"

/** The base URL of each platform's posts, without a trailing slash. */
export type PostSites = Readonly<Record<LivePlatform, string>>

/** The addresses of the sites that show posts. The sandbox replaces the platforms' sites by its own. */
export const PostSites = Context.Reference<PostSites>("social-publisher/domain/PostSites", {
  defaultValue: () => Record.map(liveFacts, ({ site }) => site)
})

export interface PlatformPost {
  readonly url: string
  /** X's id of the post, or the key of its Bluesky record. */
  readonly key: string
  /** The handle or DID in the URL, if it has one. */
  readonly account?: string
  readonly site: string
}

export const invalidUrl = (message: string): InvalidRequest => InvalidRequest.because({ path: ["url"], message })

/** Undefined if the URL is not the platform's. */
const placeOf = (platform: LivePlatform, url: URL, site: string) => {
  const { origin, pathname, protocol, host } = url
  if (`${origin}${pathname}`.startsWith(`${site}/`)) return { site, path: `${origin}${pathname}`.slice(site.length) }
  return protocol === "https:" && liveFacts[platform].hosts.includes(host)
    ? { site: origin, path: pathname }
    : undefined
}

/** The part of the query that tells the post. */
const keyQuery = (platform: LivePlatform, { searchParams }: URL): string => {
  const { keyParameter } = factsOf(platform)
  const key = keyParameter === undefined ? null : searchParams.get(keyParameter)
  return key === null ? "" : `?${keyParameter}=${encodeURIComponent(key)}`
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Ignores everything after the path, apart from a parameter that has the key. `site` is this service's own address for
 * posts.
 */
export const readPostUrl = (
  platform: LivePlatform,
  text: string,
  site = PostSites.defaultValue()[platform]
): Result.Result<PlatformPost, InvalidRequest> => {
  const { exampleUrl, postPath } = liveFacts[platform]
  const url = URL.parse(text)
  const place = url === null ? undefined : placeOf(platform, url, site)
  const query = url === null ? "" : keyQuery(platform, url)
  const { account, key } = (place && postPath.exec(`${place.path}${query}`)?.groups) ?? {}
  if (url === null || place === undefined || key === undefined) {
    return Result.fail(invalidUrl(`Expected the URL of a post on ${platformName(platform)}, such as ${exampleUrl}`))
  }
  return Result.succeed({
    url: `${url.origin}${url.pathname}${query}`,
    key,
    ...(account === undefined ? {} : { account: decoded(account) }),
    site: place.site
  })
}

/** Stays valid after the account's handle changes. */
export const lastingUrl = (platform: LivePlatform, { key, site }: PlatformPost, accountId: string): string =>
  `${site}${liveFacts[platform].lastingPath(key, accountId)}`
