import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { findEntities } from "../../../src/domain/posts/text/entities.ts"
import { explainRefusal, measureText } from "../../../src/domain/posts/text/textRules.ts"
import type { Prepared } from "../../../src/platforms/PlatformClient.ts"
import { accessOf, adapterOf, answerPreparing, type Conformance, now, prepare, prepareBy } from "./conformance.ts"
import type { Draw } from "./drawn.ts"

const links = [
  "https://example.com",
  "https://example.com/",
  "http://www.example.com/a",
  "https://example.com/a/long/path/that/is/cut?x=1#y",
  "https://news.example.com/2030/01/31/a-headline",
  "example.com",
  "example.com/a/long/path/that/is/cut"
]
const words = ["Hello", "word", "é", "e\u0301", "漢字", "👨‍👩‍👧", "🇬🇧", "שלום", "1,000", "(so)", "'quoted'", "&amp;", "<b>"]
const tags = ["#tag", "#été"]

/** A piece of a text, of a known kind. */
interface Piece {
  readonly kind: "word" | "link" | "mention" | "tag"
  readonly text: string
}

const drawPiece = ({ mention }: Conformance, draw: Draw): Piece =>
  draw.of<() => Piece>([
    () => ({ kind: "word", text: draw.of(words) }),
    () => ({ kind: "word", text: draw.of(words) }),
    () => ({ kind: "link", text: draw.of(links) }),
    () => (mention === undefined ? { kind: "word", text: "@acme" } : { kind: "mention", text: mention }),
    () => ({ kind: "tag", text: draw.of(tags) })
  ])()

/**
 * The text that a platform gets: in the first request of a prepared post, after its files are uploaded, or in a request
 * of its preparation.
 */
export const sentText = (platform: Conformance, prepared: Prepared): string | undefined => {
  const [references = []] = platform.references
  let step = adapterOf(platform).send(prepared, accessOf(platform), now)
  if (step._tag === "Files") step = step.next(Result.succeed(references), accessOf(platform))
  return step._tag === "Request" ? platform.textOf(step.request) : undefined
}

/**
 * Checks that a request has a drawn text in the form that the preview shows, and that no split of the text cuts its
 * links.
 */
export const sendAsShown = Effect.fnUntraced(function* (platform: Conformance, draw: Draw) {
  const { preview, rules, sendsLinks } = platform
  const pieces = Array.from({ length: 1 + draw.below(4) }, () => drawPiece(platform, draw))
  const text = pieces.map((piece) => piece.text).join(" ")
  if (!measureText(rules, text).valid) return
  const shown = pieces.map((piece) => (piece.kind === "link" ? preview.shorten(piece.text) : piece.text))
  const asked: Array<string> = []
  const prepared = yield* prepareBy(
    platform,
    (request) => {
      const sent = request.body._tag === "Empty" ? undefined : platform.textOf(request)
      if (sent !== undefined) asked.push(sent)
      return answerPreparing(platform)(request)
    },
    { text }
  )
  const sent = sentText(platform, prepared) ?? asked[0]
  assert.strictEqual(sent, sendsLinks === "as shown" ? shown.join(" ") : text)

  const found = [...findEntities(text), ...(rules.moreEntities?.find(text) ?? [])].map(({ end, start }) =>
    text.slice(start, end)
  )
  for (const { kind, text: piece } of pieces) {
    const isMention = preview.mention.test(piece)
    assert.strictEqual(isMention, kind === "mention", `A preview mistakes ${piece}`)
    if (kind !== "word") assert.include(found, piece, "A split may cut it")
  }
})

const fillings = [
  "a",
  "é",
  "漢",
  "👨‍👩‍👧",
  " ",
  "\n",
  "\r\n\r\n\r\n",
  "https://example.com/a/long/path/that/is/cut ",
  "#a ",
  "$A ",
  "\ufeff"
]

/**
 * Checks a drawn text near the limit: it is prepared if the rules accept it, and refused if the rules measure it as too
 * long.
 */
export const prepareAsMeasured = Effect.fnUntraced(function* (platform: Conformance, draw: Draw) {
  const { limit } = platform.rules.measure("")
  const filling = draw.of(fillings)
  const text =
    draw.of(["", draw.of(links), draw.of(words)]) + filling.repeat(draw.below(2 + limit / draw.of([1, 2, 23])))
  const hasFiles = platform.always?.uploads !== undefined
  const isValid = measureText(platform.rules, text, hasFiles).valid
  const isAccepted = isValid && explainRefusal(platform.rules, text, hasFiles) === undefined
  const prepared = yield* Effect.result(prepare(platform, { text }))
  if (isAccepted) assert.isTrue(Result.isSuccess(prepared), "An accepted text is not prepared")
  if (!isValid) assert.strictEqual(Result.isFailure(prepared) && prepared.failure._tag, "Rejected", text)
  return isAccepted
})
