import { Layer, Option } from "effect"
import type { Configuration } from "../config.ts"
import { CurrentRules, makeRules } from "../platforms/rules.ts"

/** A platform without rules gets no accounts and no posts. */
export const rulesLayer = (config: Configuration) =>
  Layer.succeed(CurrentRules, makeRules(config.live, config.enabled, { isReachable: Option.isSome(config.publicUrl) }))
