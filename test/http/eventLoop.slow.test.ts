import { assert, describe, it } from "@effect/vitest"
import { Record, Result, Schema } from "effect"
import { bodyParseOptions, CreatePost } from "../../src/api/posts/postBodies.ts"
import { makeMetadataReader } from "../../src/cards/pageMetadata.ts"
import { findTextFaults, measureSteps } from "../../src/domain/posts/postTexts.ts"
import { rememberMeasures } from "../../src/domain/posts/text/rememberMeasures.ts"
import { splitSteps } from "../../src/domain/posts/split/splitText.ts"
import { listIssues } from "../../src/http/issues.ts"
import { maxValues } from "../../src/http/jsonBounds.ts"
import { cpuMillis } from "../support/cpuTime.ts"
import { rules } from "../support/plans.ts"

/** In milliseconds of the processor: some times what a step takes, and less than the longest texts take as a whole. */
const longestBlock = 120

/** The most runs of the same steps, because the processor also collects garbage of other steps. */
const mostRuns = 5

/** The milliseconds of the processor that each step takes. */
const measure = (steps: Iterator<void, unknown>): ReadonlyArray<number> => {
  const times: Array<number> = []
  const step: { isDone: boolean } = { isDone: false }
  const next = () => {
    step.isDone = steps.next().done === true
  }
  while (!step.isDone) times.push(cpuMillis(next))
  return times
}

/**
 * The longest step, in milliseconds of the processor. If a step takes too long, the same steps run again, and each
 * counts with its shortest time. A step that itself is long takes as long in every run.
 */
const longestOf = (begin: () => Iterator<void, unknown>): number => {
  let shortest = measure(begin())
  for (let run = 1; run < mostRuns && Math.max(...shortest) >= longestBlock; run++) {
    const again = measure(begin())
    assert.lengthOf(again, shortest.length)
    const before = shortest
    shortest = again.map((time, index) => Math.min(time, before[index] ?? 0))
  }
  return Math.max(...shortest)
}

const fill = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))

function* inOneStep(run: () => void): Generator<void> {
  run()
}

/** Reads a page in the parts in which a connection delivers it. */
function* pageSteps(markup: string) {
  const reader = makeMetadataReader()
  for (let at = 0; at < markup.length && reader.write(markup.slice(at, at + 65_536)); at += 65_536) yield
  return reader.end()
}

describe("the longest block of the event loop", () => {
  it("A step that does everything together is found, however often it is measured", () => {
    const work = () => {
      let taken = 0
      while (taken < 2 * longestBlock) taken += cpuMillis(() => fill("a", 2_000_000).toUpperCase())
    }
    assert.isAbove(
      longestOf(() => inOneStep(work)),
      longestBlock
    )
  })

  it.each([
    "a",
    "a ",
    "a\n---\n",
    "😀",
    "👨‍👩‍👧‍👦",
    "漢",
    "ภาษาไทย",
    "https://a.co/x ",
    "https://a.co/x",
    "a.co/",
    "(@a.com",
    "#a",
    "e\u0301",
    "漢字https://a.co/x"
  ])("A text of %j is split in short steps", (unit) => {
    const content = fill(unit, 64_000)
    for (const numbering of ["none", "suffix"] as const) {
      const order = { content, platforms: ["twitter", "bluesky"], numbering, maxParts: 25 } as const
      assert.isBelow(
        longestOf(() => splitSteps(rules, order)),
        longestBlock
      )
    }
  })

  it.each([
    "a ",
    "😀",
    "漢",
    "https://a.co/x ",
    "a.co ",
    "a.co/",
    "@a ",
    "$A ",
    "漢字https://a.co/x",
    "[a](https://a.co) "
  ])("The texts of a post of %j are measured in short steps, and then planned in a short one", (unit) => {
    const content = fill(unit, 10_000).slice(0, 10_000)
    const texts = Array.from({ length: 6 }, (_, part) => `${part} ${content}`)
    const own = Record.map(rules, rememberMeasures)
    const post = {
      content,
      platforms: ["twitter", "bluesky"],
      media: [],
      overrides: {},
      thread: texts.map((text) => ({ content: text, platform_overrides: {}, media: [] }))
    } as const
    const begin = () => measureSteps(Record.map(rules, rememberMeasures), post)
    assert.isBelow(longestOf(begin), longestBlock)
    measure(measureSteps(own, post))
    // The shortest of three, because the processor also collects garbage of the steps before.
    const plans = [1, 2, 3].map(() => cpuMillis(() => findTextFaults(own, post)))
    assert.isBelow(Math.min(...plans), longestBlock / 2)
  })

  it.each([
    "<i>",
    "<i a=b>",
    "<meta content=",
    "<title>",
    "&amp;",
    "<",
    "<!--",
    "<svg><title>",
    "<meta name=a content=b>"
  ])("A page of %j is read in short steps", (unit) => {
    assert.isBelow(
      longestOf(() => pageSteps(fill(unit, 2_000_000))),
      longestBlock
    )
  })

  const values = Array.from({ length: maxValues - 10 }, (_, number) => number)
  it.each([
    ["unknown members", Object.fromEntries(values.map((number) => [`member${number}`, number]))],
    ["wrong parts", { content: "a", platforms: ["twitter"], thread: values }],
    ["wrong platforms", { content: "a", platforms: values }],
    ["wrong files", { content: "a", platforms: ["twitter"], media: values }]
  ])("A body with %s is refused in a short step, with a hundred issues at most", (_, body) => {
    const decode = Schema.decodeUnknownResult(Schema.toCodecJson(CreatePost), bodyParseOptions)
    const refuse = () => {
      const decoded = decode(body)
      assert.isTrue(Result.isFailure(decoded))
      if (Result.isFailure(decoded)) assert.isAtMost(listIssues(decoded.failure, body).length, 100)
    }
    refuse()
    assert.isBelow(
      longestOf(() => inOneStep(refuse)),
      longestBlock
    )
  })
})
