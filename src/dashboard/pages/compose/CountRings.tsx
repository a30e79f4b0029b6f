import { countedIn, factsOf, platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { CountRing } from "../../ui/display/CountRing.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"

export interface Count {
  readonly platform: LivePlatform
  readonly length: number
  readonly limit: number
}

export const CountRings = ({ counts }: { readonly counts: ReadonlyArray<Count> }) => (
  <div class="compose-rings">
    {counts.map(({ length, limit, platform }) => (
      <span key={platform} class="compose-ring">
        <PlatformMark platform={platform} size={12} />
        <CountRing
          name={platformName(platform)}
          length={length}
          limit={limit}
          unit={countedIn(platform)}
          exactUnit={factsOf(platform).textUnit}
        />
      </span>
    ))}
  </div>
)
