import { assert, describe, it } from "@effect/vitest"
import { describeAccount, describeUnasked, offered } from "../../src/dashboard/pages/compose/offered.ts"
import { otherSettingsFor } from "../../src/dashboard/pages/compose/otherSettings.ts"

const own = otherSettingsFor(["tiktok"])
const settingOf = (name: string) => own.find((each) => each.name === name) ?? assert.fail(`There is no ${name}`)
const privacy = settingOf("privacy_level")
const duet = settingOf("allow_duet")

const options = {
  username: "acme",
  display_name: "Acme",
  settings: [
    { name: "privacy_level", choices: ["MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"], is_available: true },
    { name: "allow_duet", choices: null, is_available: false }
  ],
  max_video_duration_ms: 180_000
}

const choicesOf = (known: typeof options | undefined, chosen = "") =>
  offered(privacy, known, chosen).choices.map(({ choice }) => choice)

describe("what the form for posts offers", () => {
  it("The account's own choices, without a default, and all while they are not known", () => {
    assert.deepStrictEqual(choicesOf(options), ["MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"])
    assert.deepStrictEqual(choicesOf(undefined), ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"])
    assert.isTrue(privacy.setting.kind === "choice" && privacy.setting.default === undefined)
  })

  it("A value that the account can't choose any more stays, and is refused", () => {
    assert.include(choicesOf(options, "PUBLIC_TO_EVERYONE"), "PUBLIC_TO_EVERYONE")
    assert.isTrue(offered(privacy, options, "PUBLIC_TO_EVERYONE").isRefused)
    assert.isFalse(offered(privacy, options, "SELF_ONLY").isRefused)
    assert.isFalse(offered(privacy, options, "").isRefused)
    assert.isFalse(offered(privacy, undefined, "PUBLIC_TO_EVERYONE").isRefused)
  })

  it("What the account has switched off is not available", () => {
    assert.isFalse(offered(duet, options, "").isAvailable)
    assert.isTrue(offered(duet, undefined, "").isAvailable)
    assert.isTrue(offered(settingOf("allow_stitch"), options, "").isAvailable)
  })

  it("It names the account as the platform does", () => {
    assert.strictEqual(
      describeAccount("tiktok", options),
      "Posts to TikTok as Acme (@acme). Videos of up to 3 minutes."
    )
    assert.strictEqual(
      describeAccount("tiktok", { ...options, display_name: null, max_video_duration_ms: 90_000 }),
      "Posts to TikTok as @acme. Videos of up to 90 seconds."
    )
    assert.strictEqual(
      describeAccount("tiktok", { ...options, display_name: null, max_video_duration_ms: null }),
      "Posts to TikTok as @acme."
    )
  })

  it("A platform that is away is named with its reason", () => {
    const error = {
      _tag: "ApiError" as const,
      status: 503,
      code: "platform_unavailable",
      detail: "TikTok did not say what this account may choose: it is away",
      errors: [],
      retryAfter: 30,
      requestId: null,
      problem: {}
    }
    assert.match(describeUnasked(error), /^TikTok did not say .*: it is away\. All choices are shown until then\.$/)
    assert.match(describeUnasked({ ...error, code: "internal_error" }), /^The service failed\./)
  })
})
