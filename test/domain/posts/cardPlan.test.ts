import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { FoundCards } from "../../../src/domain/posts/cardPlan.ts"
import { postMediaExample } from "../../../src/domain/media/media.ts"
import type { LinkCard } from "../../../src/domain/posts/linkCard.ts"
import { aStoredPost } from "../../support/http/samplePosts.ts"
import { planCards } from "../../support/plans.ts"

const cardOf = (url: string): LinkCard => ({ url, title: "Page", description: "", thumb: null })
const [one, two] = ["https://one.example/", "https://two.example/"]
const none: FoundCards = new Map()

const post = (content: string, changes: object = {}) => ({
  content,
  overrides: {},
  platforms: ["bluesky"] as const,
  thread: [],
  isFinal: true,
  ...changes
})

const planned = (...args: Parameters<typeof planCards>) =>
  Result.match(planCards(...args), {
    onFailure: ({ urls }) => `look up ${urls.join(" and ")}`,
    onSuccess: ({ card }) => card?.url ?? null
  })

describe("planCards", () => {
  it("A post that is scheduled gets the card of the first link of the text that Bluesky gets", () => {
    assert.strictEqual(planned(post(`See ${one} and ${two}`), none), `look up ${one}`)
    assert.strictEqual(planned(post(`See ${one}`, { overrides: { bluesky: `See ${two}` } }), none), `look up ${two}`)
    assert.strictEqual(planned(post(`See ${one}`), new Map([[one, cardOf(one)]])), one)
    assert.isNull(planned(post(`See ${one}`), new Map([[one, null]])))
  })

  it("A post without a link, for X alone or with media gets none", () => {
    assert.isNull(planned(post("No link"), none))
    assert.isNull(planned(post(`See ${one}`, { platforms: ["twitter"] }), none))
    assert.isNull(planned(post(`See ${one}`, { overrides: { bluesky: "No link" } }), none))
    assert.isNull(planned(post(`See ${one}`, { media: [1] }), none))
  })

  it("A link to something on Bluesky is looked up beside media too, and quoted only if it is found", () => {
    const quoted = "https://bsky.app/profile/ada.example/post/3lhxkz7ab2c2d"
    const withMedia = post(`See ${one} and ${quoted}`, { media: [1] })
    const record = { uri: "at://did:plc:abc/app.bsky.feed.post/3lhxkz7ab2c2d", cid: "bafyrei" }
    assert.strictEqual(planned(withMedia, none), `look up ${quoted}`)
    assert.strictEqual(planned(withMedia, new Map([[quoted, { ...cardOf(quoted), record }]])), quoted)
    assert.isNull(planned(withMedia, new Map([[quoted, cardOf(quoted)]])))
    assert.isNull(planned(withMedia, new Map([[quoted, null]])))
    assert.strictEqual(planned(post(`See ${one} and ${quoted}`), none), `look up ${one}`)
    const scheduled = aStoredPost({ status: "scheduled", content: `See ${quoted}`, platforms: ["bluesky"] })
    const changed = post(`See ${quoted}`, { media: [1] })
    assert.isNull(planned(changed, new Map([[quoted, null]]), { ...scheduled, card: cardOf(quoted) }))
    assert.strictEqual(planned(changed, none, { ...scheduled, card: { ...cardOf(quoted), record } }), quoted)
  })

  it("Nothing is looked up for a draft, until it is scheduled or approval is asked for", () => {
    const draft = aStoredPost({ content: `See ${one}`, platforms: ["bluesky"] })
    assert.isNull(planned(post(`See ${one}`, { isFinal: false }), none))
    assert.isNull(planned(post(`See ${one}`, { isFinal: false }), none, draft))
    assert.strictEqual(planned(post(`See ${one}`), none, draft), `look up ${one}`)
  })

  it("What was found when a post was scheduled stays, also where that was nothing, until the text changes", () => {
    const scheduled = aStoredPost({
      status: "scheduled",
      content: `See ${one}`,
      platforms: ["bluesky"],
      card: cardOf(one)
    })
    assert.strictEqual(planned(post(`See ${one}`), none, scheduled), one)
    assert.isNull(planned(post(`See ${one}`), none, { ...scheduled, card: null }))
    assert.strictEqual(planned(post(`Look at ${one}`), none, { ...scheduled, card: null }), `look up ${one}`)
    assert.strictEqual(planned(post(`See ${two}`), none, scheduled), `look up ${two}`)
    assert.isNull(planned(post("No link"), none, scheduled))
    // The page could not be read again: what is known of it stays.
    assert.strictEqual(planned(post(`Look at ${one}`), new Map([[one, null]]), scheduled), one)
  })

  it("A card is looked up once a scheduled post has a place for one: with Bluesky added, or its media removed", () => {
    const scheduled = aStoredPost({ status: "scheduled", content: `See ${one}`, platforms: ["twitter"] })
    assert.strictEqual(planned(post(`See ${one}`), none, scheduled), `look up ${one}`)
    const withMedia = { ...scheduled, platforms: ["bluesky"], media: [{ ...postMediaExample }] } as const
    assert.strictEqual(planned(post(`See ${one}`), none, withMedia), `look up ${one}`)
    const withCard = { ...scheduled, platforms: ["bluesky"], card: cardOf(one) } as const
    assert.isNull(planned(post(`See ${one}`, { platforms: ["twitter"] }), none, withCard))
  })

  it("A post that approval was asked for keeps what was found then", () => {
    const asked = aStoredPost({
      content: `See ${one}`,
      platforms: ["bluesky"],
      approvalRequestedRevision: 1,
      card: null
    })
    assert.isNull(planned(post(`See ${one}`), none, asked))
  })
})
