import { Layer } from "effect"
import type { Configuration } from "../config.ts"
import { CurrentRules, makeRules } from "../platforms/rules.ts"

/** The rules of the enabled platforms. What has no rules here can't be connected, and no post goes there. */
export const rulesLayer = (config: Configuration) => Layer.succeed(CurrentRules, makeRules(config.live, config.enabled))
