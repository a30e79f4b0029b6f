import { Record, Result } from "effect"
import type { LiveFacts } from "../platforms/Platform.ts"
import { inSentence } from "./plain/platforms.ts"

export type Registry<Name extends string> = Readonly<
  Record<Name, Pick<LiveFacts, "name" | "otherApplication" | "ownApplication">>
>

const subject = (names: ReadonlyArray<string>, singular: string, plural: string): string =>
  `${inSentence(names)} ${names.length === 1 ? singular : plural}`

/**
 * Returns the live platforms and the platforms that the operator named. Naming a live platform is allowed, so a setting
 * can stay after its platform becomes live.
 */
export const enablePlatforms = <Name extends string>(
  registry: Registry<Name>,
  named: ReadonlyArray<string>
): Result.Result<ReadonlyArray<Name>, string> => {
  const known = Record.keys(registry)
  const live = known.filter((name) => registry[name].ownApplication === undefined)
  const possible = known.filter((name) => !live.includes(name))
  const others = named.filter((name) => !known.some((each) => each === name))
  if (others.length === 0) return Result.succeed(known.filter((name) => live.includes(name) || named.includes(name)))
  const hint =
    possible.length > 0 ? `Possible: ${inSentence(possible)}` : "No other platform can be enabled in this version"
  const wrong = subject(others, "is not a platform", "are not platforms")
  return Result.fail(`${wrong}. ${hint}; ${subject(live, "is", "are")} live without it`)
}

/**
 * The variables of the enabled platforms' applications. `isGiven` decides between two applications of a platform: the
 * other one counts if it has a value and the first one has none.
 */
export const applicationVariables = <Name extends string>(
  registry: Registry<Name>,
  enabled: ReadonlyArray<Name>,
  isGiven: (variable: string) => boolean
) =>
  enabled.flatMap((platform) => {
    const { otherApplication: other = [], ownApplication: own = [] } = registry[platform]
    const chosen = !own.some(isGiven) && other.some(isGiven) ? other : own
    return chosen.map((variable) => ({ platform, variable }))
  })
