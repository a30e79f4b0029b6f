import type { LivePlatform } from "../../../domain/platform.ts"
import { previews } from "../../../platforms/previews.ts"
import { richText, type TextPart } from "./richText.ts"

type Parts = ReadonlyArray<TextPart>

const segmenter = new Intl.Segmenter()

/** The end of the first lines, or the start of the word or character that is at the limit. */
const findCut = (text: string, { characters, lines }: { readonly characters: number; readonly lines: number }) => {
  const ofLines = text.split("\n").slice(0, lines).join("\n")
  if (ofLines.length <= characters) return ofLines.length
  const start = ofLines.slice(0, segmenter.segment(ofLines).containing(characters)?.index ?? characters)
  return /\s\S{0,20}$/u.exec(start)?.index ?? start.length
}

/** Leaves out a link that would be cut. */
const partsUntil = (parts: Parts, end: number): Parts => {
  const kept: Array<TextPart> = []
  let at = 0
  for (const part of parts) {
    const room = end - at
    if (part.text.length <= room) kept.push(part)
    else {
      if (part.kind === "text" && room > 0) kept.push({ ...part, text: part.text.slice(0, room) })
      return kept
    }
    at += part.text.length
  }
  return kept
}

/** `start` is what the platform shows of a long text before somebody opens the rest. Undefined if it shows all. */
export const foldedText = (text: string, platform: LivePlatform): { readonly all: Parts; readonly start?: Parts } => {
  const all = richText(text, platform)
  const { fold } = previews[platform]
  if (fold === undefined) return { all }
  const shown = all.map((part) => part.text).join("")
  const cut = findCut(shown, fold)
  return cut < shown.length ? { all, start: partsUntil(all, cut) } : { all }
}
