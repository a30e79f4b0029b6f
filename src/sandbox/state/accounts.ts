import type { LivePlatform } from "../../domain/platform.ts"
import { standIns } from "../../platforms/standIns.ts"
import { SandboxAccount } from "./entry.ts"
import { displayNameOf } from "./names.ts"

/** The same seed gives the same account. */
export const deriveAccount = (platform: LivePlatform, seed: string): SandboxAccount =>
  SandboxAccount.make({ platform, ...standIns[platform].account(seed), displayName: displayNameOf(seed) })
