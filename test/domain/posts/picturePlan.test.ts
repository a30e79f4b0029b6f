import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type FoundPictures, planPictures, withKeptPictures } from "../../../src/domain/posts/picturePlan.ts"
import { listedSettings, type PlatformSettings } from "../../../src/domain/posts/platformSettings.ts"
import { aStoredPost } from "../../support/http/samplePosts.ts"

const [one, two] = ["https://one.example/a.png", "https://two.example/a.png"]
const keptOf = (url: string) => ({ url, hash: "ab".repeat(32), content_type: "image/png", size: 1 })
const none: FoundPictures = new Map()
const both: FoundPictures = new Map([one, two].map((url) => [url, keptOf(url)]))

const platforms = ["bluesky", "youtube"] as const
const asked = (thumbnail_url: string): PlatformSettings => ({ youtube: { title: "A talk", thumbnail_url } })
const kept = (url: string): PlatformSettings => ({ youtube: { ...asked(url).youtube, thumbnail: keptOf(url) } })

const planned = (settings: PlatformSettings, found: FoundPictures, before?: Parameters<typeof planPictures>[2]) =>
  Result.match(planPictures({ platforms, settings, isFinal: true }, found, before), {
    onFailure: (failure) =>
      failure._tag === "PictureNeeded"
        ? `look up ${failure.pictures.map(({ url }) => url).join(" and ")}`
        : failure.errors.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; "),
    onSuccess: (after) => after
  })

describe("planPictures", () => {
  it("A post that is scheduled gets the picture of its URL", () => {
    assert.strictEqual(planned(asked(one), none), `look up ${one}`)
    assert.deepStrictEqual(planned(asked(one), both), kept(one))
  })

  it("Without the picture the post is refused, and the setting is named", () => {
    assert.strictEqual(
      planned(asked(one), new Map([[one, "It is gone"]])),
      "platform_settings.youtube.thumbnail_url: It is gone"
    )
  })

  it("Nothing is looked up for a draft, without a URL, or if the post is not for the platform", () => {
    const draft = planPictures({ platforms, settings: asked(one), isFinal: false }, none)
    assert.deepStrictEqual(Result.getOrThrow(draft), asked(one))
    const plain: PlatformSettings = { youtube: { title: "A talk" }, twitter: { who_can_reply: "verified" } }
    assert.strictEqual(planned(plain, none), plain)
    const elsewhere = planPictures({ platforms: ["bluesky"], settings: asked(one), isFinal: true }, none)
    assert.deepStrictEqual(Result.getOrThrow(elsewhere), asked(one))
  })

  it("A picture stays until its URL changes or the post is scheduled again", () => {
    const before = (status: "draft" | "scheduled" | "failed") => aStoredPost({ status, settings: kept(one) })
    for (const status of ["scheduled", "failed"] as const) {
      assert.deepStrictEqual(planned(kept(one), none, before(status)), kept(one))
      assert.strictEqual(planned(asked(one), none, before(status)), `look up ${one}`)
    }
    assert.strictEqual(planned(kept(one), none, before("draft")), `look up ${one}`)
    const changed = { youtube: { ...kept(one).youtube, thumbnail_url: two } }
    assert.strictEqual(planned(changed, none, before("scheduled")), `look up ${two}`)
    assert.deepStrictEqual(planned(changed, both, before("scheduled")), kept(two))
  })

  it("A request sets no picture, and keeps that of an unchanged URL", () => {
    assert.deepStrictEqual(listedSettings(kept(one)), asked(one))
    assert.deepStrictEqual(withKeptPictures(asked(one), kept(one)), kept(one))
    assert.deepStrictEqual(withKeptPictures(asked(two), kept(one)), asked(two))
    assert.deepStrictEqual(withKeptPictures({ youtube: { title: "A talk" } }, kept(one)), {
      youtube: { title: "A talk" }
    })
  })
})
