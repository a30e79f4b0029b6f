import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { Accounts } from "../../shared/accounts/useAccounts.ts"
import { Chip } from "../../ui/controls/Chip.tsx"

export interface PlatformChipsProps {
  readonly accounts: Accounts
  /** Connected platforms, and those of the post. */
  readonly choices: ReadonlyArray<LivePlatform>
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly onPlatforms: (platforms: ReadonlyArray<LivePlatform>) => void
}

export const PlatformChips = ({ accounts, choices, onPlatforms, platforms }: PlatformChipsProps) => (
  <div class="compose-targets" role="group" aria-label="Platforms">
    {choices.map((platform) => {
      const isChosen = platforms.includes(platform)
      const account = accounts.find(platform)
      return (
        <Chip
          key={platform}
          icon={isChosen ? "check" : "plus"}
          pressed={isChosen}
          onClick={() => {
            const others = platforms.filter((other) => other !== platform)
            onPlatforms(isChosen ? others : [...others, platform])
          }}
        >
          {platformName(platform)}{" "}
          {account === undefined ? accounts.all !== undefined && "(not connected)" : `@${account.username}`}
        </Chip>
      )
    })}
  </div>
)
