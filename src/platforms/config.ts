import { Option, type Redacted } from "effect"
import { liveFacts } from "./facts.ts"
import type { TwitterAccess } from "./twitter/facts.ts"

/** The addresses of X, and the X application that posts are sent with. */
export interface TwitterConfig {
  /** https://api.x.com, or the sandbox's. */
  readonly apiUrl: string
  /** The site where people see posts and grant access: https://x.com, or the sandbox's page. */
  readonly webUrl: string
  readonly clientId: string
  /** Null for a public client. */
  readonly clientSecret: Redacted.Redacted | null
}

/** The addresses of Bluesky. */
export interface BlueskyConfig {
  /** The PDS of accounts that name none: https://bsky.social, or the sandbox's. */
  readonly defaultServiceUrl: string
  /** The site where people see posts: https://bsky.app, or the sandbox's page. */
  readonly webUrl: string
  /** The service that processes videos, https://video.bsky.app; without one a PDS gets them as they are. */
  readonly videoUrl?: string
}

/** The platforms, live or sandbox. No address ends in a slash. */
export interface PlatformsConfig {
  readonly twitter: TwitterConfig
  readonly bluesky: BlueskyConfig
}

/** The operator's settings that change what stand-ins refuse. */
export interface StandInSettings {
  /** The application's access to X; `self-serve` by default. */
  readonly twitterAccess?: TwitterAccess
}

/** The operator's settings of the platforms themselves. */
interface LiveSettings {
  readonly twitterApiUrl: string
  readonly twitterClientId: Option.Option<string>
  readonly twitterClientSecret: Option.Option<Redacted.Redacted>
  readonly blueskyServiceUrl: string
  readonly blueskyVideoUrl: string
}

/** The platforms themselves. */
export const livePlatforms = (settings: LiveSettings): PlatformsConfig => ({
  twitter: {
    apiUrl: settings.twitterApiUrl,
    webUrl: liveFacts.twitter.site,
    clientId: Option.getOrElse(settings.twitterClientId, () => ""),
    clientSecret: Option.getOrNull(settings.twitterClientSecret)
  },
  bluesky: {
    defaultServiceUrl: settings.blueskyServiceUrl,
    webUrl: liveFacts.bluesky.site,
    videoUrl: settings.blueskyVideoUrl
  }
})
