import { assert, describe, it } from "@effect/vitest"
import { chainOf } from "../../src/dashboard/api/chain.ts"
import {
  canMove,
  canRemove,
  chainOn,
  type ComposePart,
  emptyPart,
  partsOf,
  splitPart,
  type WithParts
} from "../../src/dashboard/pages/compose/parts.ts"

const part = (key: string, platforms: ComposePart["platforms"] = null): ComposePart => ({
  ...emptyPart(key),
  content: `Text ${key}`,
  platforms
})

const form = (...thread: ReadonlyArray<ComposePart>): WithParts => ({
  content: "Text 1",
  overrides: {},
  media: [],
  thread
})

const both = ["twitter", "bluesky"] as const

describe("The parts of a thread that is being written", () => {
  it("A part for one platform alone can't begin the thread, which is for all of them", () => {
    const parts = partsOf(form(part("2", ["twitter"]), part("3")))
    assert.deepStrictEqual(
      [canMove(parts, 0, 1), canMove(parts, 1, -1), canMove(parts, 1, 1), canMove(parts, 2, -1), canMove(parts, 2, 1)],
      [false, false, true, true, false]
    )
    assert.deepStrictEqual([canRemove(parts, 0), canRemove(parts, 1)], [false, true])
    assert.isFalse(canRemove(partsOf(form()), 0))
  })

  it("A platform gets the parts that are for it, in their order", () => {
    const parts = partsOf(form(part("2", ["bluesky"]), part("3")))
    assert.deepStrictEqual(
      chainOn(parts, "twitter").map(({ index }) => index),
      [0, 2]
    )
  })
})

describe("A platform without threads", () => {
  it("It gets the first part alone, as the service sends it", () => {
    const parts = partsOf(form(part("2"), part("3", ["linkedin"])))
    assert.deepStrictEqual(
      chainOn(parts, "linkedin").map(({ index }) => index),
      [0]
    )
    const second = { content: "Text 2", media: [], platform_overrides: {}, platforms: null, card: null }
    const post = { card: null, content: "Text 1", media: [], platform_overrides: {}, thread: [second] }
    assert.deepStrictEqual(
      (["linkedin", "twitter"] as const).map((platform) => chainOf(post, platform).map(({ text }) => text)),
      [["Text 1"], ["Text 1", "Text 2"]]
    )
  })
})

describe("A part whose text was split", () => {
  const pieces = ["a", "b"].map((content, index) => ({ content, key: `new ${index}` }))
  const split = (of: ComposePart, tab: "all" | "twitter") => splitPart(of, { tab, platforms: both, pieces })

  it("It keeps its files, and what follows goes where it goes", () => {
    const file = { id: "1", alt: "", type: "image", width: 1, height: 1 } as const
    assert.deepStrictEqual(split({ ...part("1"), media: [file] }, "all"), [
      { ...part("1"), content: "a", media: [file] },
      { ...emptyPart("new 1"), content: "b" }
    ])
    assert.deepStrictEqual(split(part("2", ["bluesky"]), "all")[1]?.platforms, ["bluesky"])
  })

  it("What follows is not for a platform that has a text of its own", () => {
    const own = { ...part("1"), overrides: { twitter: "Own" } }
    const [first, second] = split(own, "all")
    assert.deepStrictEqual(
      [first?.content, first?.overrides, second?.platforms],
      ["a", { twitter: "Own" }, ["bluesky"]]
    )
  })

  it("The text of one platform is split for that platform alone", () => {
    const [first, second] = split(part("1"), "twitter")
    assert.deepStrictEqual(
      [first?.content, first?.overrides, second?.content, second?.platforms],
      ["Text 1", { twitter: "a" }, "b", ["twitter"]]
    )
  })
})
