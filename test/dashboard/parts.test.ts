import { assert, describe, it } from "@effect/vitest"
import {
  addParts,
  canMove,
  canRemove,
  changePart,
  chainOn,
  type ComposePart,
  emptyPart,
  insertPart,
  movePart,
  partsOf,
  removePart,
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

const texts = (written: WithParts) => partsOf(written).map(({ content }) => content)

const both = ["twitter", "bluesky"] as const

describe("The parts of a thread that is being written", () => {
  it("A part is added after another one, changed, and removed", () => {
    const added = addParts(form(part("2"), part("3")), "2", [part("new")])
    assert.deepStrictEqual(texts(added), ["Text 1", "Text 2", "Text new", "Text 3"])
    const changed = changePart(added, "new", () => ({ content: "Other" }))
    assert.deepStrictEqual(texts(changed), ["Text 1", "Text 2", "Other", "Text 3"])
    assert.deepStrictEqual(texts(removePart(changed, "2")), ["Text 1", "Other", "Text 3"])
  })

  it("The first part keeps its key where it moves, and what was second is the post's own content", () => {
    const moved = movePart(form(part("2")), "first", 1)
    assert.deepStrictEqual([moved.content, moved.key, moved.thread[0]?.key], ["Text 2", "2", "first"])
    assert.deepStrictEqual(partsOf(movePart(moved, "first", -1)), partsOf(form(part("2"))))
  })

  it("A part that was removed is put back where it was", () => {
    const before = form(part("2"), part("3"))
    assert.deepStrictEqual(insertPart(removePart(before, "2"), part("2"), 1).thread, before.thread)
    assert.deepStrictEqual(texts(insertPart(removePart(before, "first"), part("1"), 0)), texts(before))
  })

  it("A part for one platform alone can't begin the thread, which is for all of them", () => {
    const parts = partsOf(form(part("2", ["twitter"]), part("3")))
    assert.deepStrictEqual(
      [canMove(parts, 0, 1), canMove(parts, 1, -1), canMove(parts, 1, 1), canMove(parts, 2, -1), canMove(parts, 2, 1)],
      [false, false, true, true, false]
    )
    assert.deepStrictEqual([canRemove(parts, 0), canRemove(parts, 1)], [false, true])
    assert.isFalse(canRemove(partsOf(form()), 0))
    const stays = form(part("2", ["twitter"]))
    assert.strictEqual(movePart(stays, "2", -1), stays)
  })

  it("A platform gets the parts that are for it, in their order", () => {
    const parts = partsOf(form(part("2", ["bluesky"]), part("3")))
    assert.deepStrictEqual(
      chainOn(parts, "twitter").map(({ index }) => index),
      [0, 2]
    )
  })
})

describe("A part whose text was split", () => {
  const split = (of: ComposePart, tab: "all" | "twitter") => {
    let made = 0
    return splitPart(of, { tab, platforms: both, texts: ["a", "b"], newKey: () => `new ${++made}` })
  }

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
