import { assert, describe, it } from "@effect/vitest"
import { foldPreviews } from "../../src/dashboard/ui/preview/foldPreviews.ts"

const account = { name: "Acme", handle: "acme" }
const part = { text: "Hello", media: [], card: undefined }
interface Preview {
  readonly platform: string
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
})
