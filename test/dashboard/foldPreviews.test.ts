import { assert, describe, it } from "@effect/vitest"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { foldPreviews } from "../../src/dashboard/ui/preview/foldPreviews.ts"

const account = { name: "Acme", handle: "acme" }
const part = { text: "Hello", media: [], card: undefined }
interface Preview {
  readonly platform: LivePlatform
  readonly account: unknown
  readonly parts: ReadonlyArray<{
    readonly text: string
    readonly media: ReadonlyArray<{ readonly id: string }>
    readonly card: unknown
  }>
}
const folded = (...previews: ReadonlyArray<Preview>) =>
  foldPreviews(previews).map(({ others, platform }) => [platform, ...others.map((other) => other.platform)])

describe("Previews of a post on several platforms", () => {
  it("Those that look alike are shown once, whatever the account", () => {
    const onX = { platform: "twitter", account, parts: [part] } as const
    const onBluesky = { platform: "bluesky", account: "loading", parts: [part] } as const
    assert.deepStrictEqual(folded(onX, onBluesky), [["twitter", "bluesky"]])
    assert.deepStrictEqual(folded(onX), [["twitter"]])
    assert.deepStrictEqual(folded(), [])
  })

  it.each([
    { what: "text", other: [{ ...part, text: "Hello!" }] },
    { what: "number of parts", other: [part, part] },
    { what: "card", other: [{ ...part, card: { host: "example.com", title: "A page", description: "" } }] },
    {
      what: "file",
      other: [{ ...part, media: [{ id: "1", type: "image" as const, alt: "", src: undefined }] }]
    }
  ])("Those that differ in a $what are shown apart", ({ other }) => {
    assert.deepStrictEqual(
      folded({ platform: "twitter", account, parts: [part] }, { platform: "bluesky", account, parts: other }),
      [["twitter"], ["bluesky"]]
    )
  })

  const mention = "Thanks @[Acme](urn:li:organization:1)"

  it.each([
    { what: "a mention that only LinkedIn knows", text: mention, cards: [["linkedin"], ["threads", "twitter"]] },
    { what: "a handle that LinkedIn has not", text: "Thanks @demo", cards: [["linkedin"], ["threads", "twitter"]] },
    {
      what: "a second tag, of which Threads makes no link",
      text: "#one #two",
      cards: [["linkedin", "twitter"], ["threads"]]
    },
    { what: "nothing special", text: "Hello", cards: [["linkedin", "threads", "twitter"]] },
    { what: "an end that LinkedIn folds", text: "Hello ".repeat(40), cards: [["linkedin"], ["threads", "twitter"]] }
  ])("A text with $what shares a card only with platforms that show the same", ({ cards, text }) => {
    const parts = [{ ...part, text }]
    assert.deepStrictEqual(
      folded(...(["linkedin", "threads", "twitter"] as const).map((platform) => ({ platform, account, parts }))),
      cards
    )
  })

  it("Pictures share a card only if their order is the same", () => {
    const withFiles = (count: number) => [
      { ...part, media: Array.from({ length: count }, (_, index) => ({ id: String(index) })) }
    ]
    const previews = (count: number) =>
      folded(
        ...(["twitter", "linkedin", "threads"] as const).map((platform) => ({
          platform,
          account,
          parts: withFiles(count)
        }))
      )
    assert.deepStrictEqual(previews(1), [["twitter", "linkedin", "threads"]])
    assert.deepStrictEqual(previews(4), [["twitter"], ["linkedin"], ["threads"]])
  })
})
