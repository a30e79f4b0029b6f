import type { Platform } from "../../../domain/platform.ts"
import { classes } from "../classes.ts"
import { facts } from "../../../platforms/facts.ts"

export interface PlatformMarkProps {
  readonly platform: Platform
  /** Pixels; 14 by default. */
  readonly size?: number
  readonly class?: string
}

export const PlatformMark = ({ class: className, platform, size = 14 }: PlatformMarkProps) => (
  <span class={classes("platform-mark", className)} title={facts[platform].name}>
    <svg width={size} height={size} viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
      <path fill-rule="evenodd" d={facts[platform].mark} />
    </svg>
    <span class="only-read">{facts[platform].name}</span>
  </span>
)
