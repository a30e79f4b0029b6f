import type { Platform } from "../../domain/platform.ts"
import { classes } from "./classes.ts"

/** The names that people know the platforms by. */
export const platformNames: Readonly<Record<Platform, string>> = {
  twitter: "X",
  bluesky: "Bluesky",
  linkedin: "LinkedIn",
  instagram: "Instagram",
  youtube: "YouTube",
  tiktok: "TikTok",
  threads: "Threads",
  facebook: "Facebook"
}

const isPlatform = (name: string): name is Platform => Object.hasOwn(platformNames, name)

export const allPlatforms: ReadonlyArray<Platform> = Object.keys(platformNames).filter((name) => isPlatform(name))

/** On a grid of 16, filled. */
const marks: Readonly<Record<Platform, string>> = {
  twitter:
    "M2 2.5h3.5l2.9 4 3.5-4h1.6L9.1 7.5l4.9 6h-3.5L7.3 9.3l-3.7 4.2H2l4.6-5.2L2 2.5Zm2.2 1.2 7 8.6h1l-6.9-8.6h-1.1Z",
  bluesky:
    "M4.1 3.1C5.7 4.3 7.4 6.700 8 8c.6-1.300 2.300-3.700 3.900-4.900 1.100-.8 3-1.500 3 .6 0 .4-.2 3.500-.4 4-.5 1.700-2.200 2.100-3.700 1.900 2.700.4 3.400 2 1.900 3.500-2.800 2.900-4-.7-4.400-1.600L8 10.600l-.3.900c-.4.900-1.600 4.500-4.400 1.600-1.500-1.500-.8-3.100 1.900-3.500-1.500.2-3.200-.2-3.700-1.900-.2-.5-.4-3.600-.4-4 0-2.100 1.900-1.400 3-.6Z",
  linkedin:
    "M2.500 6h2.600v7.500H2.500V6Zm1.300-3.700a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3ZM6.700 6h2.500v1c.4-.7 1.200-1.200 2.300-1.200 2.300 0 2.700 1.500 2.700 3.500v4.200h-2.600V9.800c0-.9 0-2-1.200-2s-1.400 1-1.400 2v3.700H6.700V6Z",
  instagram:
    "M5 1.800h6A3.200 3.200 0 0 1 14.200 5v6a3.200 3.200 0 0 1-3.200 3.200H5A3.200 3.200 0 0 1 1.800 11V5A3.200 3.200 0 0 1 5 1.800Zm0 1.400A1.800 1.800 0 0 0 3.200 5v6c0 1 .8 1.800 1.800 1.800h6c1 0 1.800-.8 1.800-1.800V5c0-1-.8-1.800-1.800-1.800H5Zm3 1.700a3.100 3.100 0 1 1 0 6.200 3.100 3.100 0 0 1 0-6.200Zm0 1.400a1.700 1.700 0 1 0 0 3.400 1.700 1.700 0 0 0 0-3.400Z",
  youtube:
    "M3.500 3h9C13.900 3 15 4.100 15 5.500v5c0 1.400-1.100 2.500-2.500 2.500h-9A2.500 2.500 0 0 1 1 10.500v-5C1 4.100 2.100 3 3.500 3Zm3.200 2.800v4.400L10.500 8 6.700 5.800Z",
  tiktok:
    "M8.400 1.800h2.200c.1 1.600 1.100 2.700 2.800 2.800v2.200c-1 0-2-.3-2.800-.9v4.300c0 5-7 5.400-7.600.9-.4-2.900 2.200-4.700 4.600-4.100v2.300c-1.300-.4-2.400.4-2.300 1.600.2 1.700 3.100 1.600 3.100-.7V1.800Z",
  threads:
    "M8 1.500c3.500 0 5.400 2 6 4.700l-1.400.4C12 4.400 10.600 3 8 3 4.700 3 3.500 5.200 3.500 8S4.700 13 8 13c2.300 0 4-1.200 4-2.900 0-.9-.5-1.600-1.300-2-.2 1.900-1.300 2.800-2.900 2.800-1.400 0-2.500-.9-2.500-2.200 0-1.500 1.400-2.300 3.800-2.200-.2-.9-.8-1.300-1.500-1.300-.6 0-1.100.2-1.500.7l-1.100-.8A3.200 3.200 0 0 1 7.700 4c1.700 0 2.800 1 3 2.800 1.800.6 2.700 1.700 2.700 3.300 0 2.600-2.300 4.400-5.400 4.400-4.200 0-6-2.800-6-6.500s1.800-6.500 6-6.500Zm1.200 6.300c-1.500-.1-2.500.2-2.500 1 0 .5.400.8 1.100.8.8 0 1.300-.5 1.400-1.800Z",
  facebook:
    "M9 14V8.800h1.900l.3-2.100H9V5.400c0-.6.2-1 1.100-1h1.200V2.500c-.2 0-.9-.1-1.700-.1-1.700 0-2.800 1-2.800 2.900v1.400H4.900v2.100h1.900V14H9Z"
}

export interface PlatformMarkProps {
  readonly platform: Platform
  /** In pixels; 14 by default. */
  readonly size?: number
  readonly class?: string
}

/** The sign of a platform, with its name for those who do not see it. */
export const PlatformMark = ({ class: className, platform, size = 14 }: PlatformMarkProps) => (
  <span class={classes("platform-mark", className)} title={platformNames[platform]}>
    <svg width={size} height={size} viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
      <path fill-rule="evenodd" d={marks[platform]} />
    </svg>
    <span class="only-read">{platformNames[platform]}</span>
  </span>
)
