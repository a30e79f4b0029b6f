import { Context, Record, Result } from "effect"
import { liveFacts } from "../../platforms/facts.ts"
import { InvalidRequest } from "../errors.ts"
import { formatIssues } from "../issues.ts"
import { platformName } from "../plain/platforms.ts"
import type { LivePlatform } from "../platform.ts"

/** The sites where people see posts, without a slash at the end. */
export type PostSites = Readonly<Record<LivePlatform, string>>

/** Beside the platforms' own addresses, those that the service itself gives to posts, such as the sandbox's. */
export const PostSites = Context.Reference<PostSites>("social-publisher/domain/PostSites", {
  defaultValue: () => Record.map(liveFacts, ({ site }) => site)
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

/** Refuses a URL, with what was expected instead. */
export const invalidUrl = (message: string): InvalidRequest => {
  const errors = [{ path: ["url"], message }]
  return new InvalidRequest({ message: formatIssues(errors), errors })
}

/** The site of a URL, and the path of a page on it; undefined where it is none of the platform's. */
const placeOf = (platform: LivePlatform, url: URL, site: string) => {
  const { origin, pathname, protocol, host } = url
  if (`${origin}${pathname}`.startsWith(`${site}/`)) return { site, path: `${origin}${pathname}`.slice(site.length) }
  return protocol === "https:" && liveFacts[platform].hosts.includes(host)
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
  const { exampleUrl, postPath } = liveFacts[platform]
  const url = URL.parse(text)
  const place = url === null ? undefined : placeOf(platform, url, site)
  const { account, key } = (place && postPath.exec(place.path)?.groups) ?? {}
  if (url === null || place === undefined || key === undefined) {
    return Result.fail(invalidUrl(`Expected the URL of a post on ${platformName(platform)}, such as ${exampleUrl}`))
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
  `${site}${liveFacts[platform].lastingPath(key, accountId)}`
