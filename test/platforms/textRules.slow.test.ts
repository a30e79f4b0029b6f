import { assert, describe, it } from "@effect/vitest"
import { isBlank } from "../../src/domain/plain/blankText.ts"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import { explainRefusal, measureText } from "../../src/domain/posts/text/textRules.ts"
import { cpuMillis } from "../support/cpuTime.ts"
import { rules } from "../support/plans.ts"

const mebibyte = 1024 * 1024
/** In milliseconds: far more than linear time takes, far less than quadratic time. */
const timeLimit = 10_000

const fill = (unit: string) => unit.repeat(Math.ceil(mebibyte / unit.length))

describe("measureText for a hostile text of 1 MiB", () => {
  it.each([
    "a",
    "a.",
    "é.",
    "a-",
    "漢",
    "@",
    "@a.com ",
    "(@",
    "(",
    "()",
    "#",
    "#a ",
    "#1",
    "# ",
    "$A ",
    "($A",
    ".",
    "#a.",
    " ",
    "\n",
    "\r\n",
    "http://",
    "http://a.com/b ",
    "http://a.com/(",
    "a.com",
    "a.com/",
    "a.com/\ufe0f",
    "a.com ",
    "xn--",
    "👨‍👩‍👧‍👦",
    "👨\u200d",
    "\u200d",
    "e\u0301",
    "\ud83d"
  ])("A text of repeated %j is measured as too long within the time limit", (unit) => {
    const text = fill(unit)
    const taken = cpuMillis(() => {
      const blank = isBlank(text)
      for (const platform of livePlatforms) {
        const measure = measureText(rules[platform], text)
        assert.isFalse(measure.valid)
        assert.isTrue(blank || measure.length > measure.limit)
      }
    })
    assert.isBelow(taken, timeLimit)
  })

  it("Line breaks and what stands between them are counted within the time limit", () => {
    const taken = cpuMillis(() => {
      measureText(rules.bluesky, `a${fill("\n \u200b")}a`)
      measureText(rules.bluesky, `a\n${fill(" ")}a`)
    })
    assert.isBelow(taken, timeLimit)
  })

  it("Slow words beside a link are counted within the time limit", () => {
    const taken = cpuMillis(() => {
      measureText(rules.twitter, `https://example.com/${"漢".repeat(4000)}\n`.repeat(250))
      measureText(rules.twitter, "a.".repeat(2100).concat("com ").repeat(250))
    })
    assert.isBelow(taken, timeLimit)
  })
})

describe("explainRefusal", () => {
  it.each(livePlatforms)("A blank text is refused on %s", (platform) => {
    assert.deepStrictEqual(explainRefusal(rules[platform], " \n"), { code: "text_blank" })
  })
})
