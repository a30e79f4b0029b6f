import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { livePlatforms, platforms } from "../../src/domain/plain/platforms.ts"
import { findMeantPlatform } from "../../src/domain/platform.ts"
import { readPostUrl } from "../../src/domain/publishing/postUrl.ts"
import { facts, liveFacts } from "../../src/platforms/facts.ts"
import type { Setting } from "../../src/platforms/Platform.ts"
import { settings } from "../../src/platforms/settings.ts"
import { adapterOf } from "./contract/conformance.ts"
import { named } from "./contract/conformances.ts"

describe("the facts of platforms", () => {
  it.each(platforms)("%s is found by each of its other names, in any case, and by no name of another", (platform) => {
    for (const alias of facts[platform].aliases) {
      assert.strictEqual(findMeantPlatform(alias), platform)
      assert.strictEqual(findMeantPlatform(alias.toUpperCase()), platform)
    }
    assert.strictEqual(findMeantPlatform(` ${platform.toUpperCase()}`), platform)
    assert.isUndefined(findMeantPlatform(platform))
  })

  it.each(platforms)("A setting of %s with a default has it among its choices", (platform) => {
    for (const setting of Object.values<Setting>(settings[platform])) {
      if (setting.kind === "choice" && setting.default !== undefined) {
        assert.property(setting.choices, setting.default)
      }
    }
  })

  it.each(platforms)("A picture of a setting of %s is kept in a setting of its own", (platform) => {
    const all: Readonly<Record<string, Setting>> = settings[platform]
    const kept = Object.values(all).flatMap((setting) =>
      setting.kind === "url" && setting.picture !== undefined ? [setting.picture.keptAs] : []
    )
    const own = Object.entries(all).flatMap(([name, { kind }]) => (kind === "kept" ? [name] : []))
    assert.deepStrictEqual(kept, own)
  })

  it.each(named)("The facts of $name say if the form for posts asks the platform", ({ platform }) => {
    assert.strictEqual(adapterOf(platform).postingOptions !== undefined, platform.facts.asksOptions === true)
  })

  it.each(livePlatforms)("The example and the lasting URL of a post on %s are read as that post's", (platform) => {
    const { exampleUrl, lastingPath, site } = liveFacts[platform]
    const { key } = Result.getOrThrow(readPostUrl(platform, exampleUrl))
    const lasting = Result.getOrThrow(readPostUrl(platform, `${site}${lastingPath(key, "did:plc:acme")}`))
    assert.strictEqual(lasting.key, key)
  })
})
