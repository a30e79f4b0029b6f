import type { ByteSpan, Erasure } from "../protocol.ts"
import { requireFewErased } from "../spans.ts"
import { type Element, type ElementReader, voidHeader, voidId } from "./elements.ts"
import { readText } from "./webmTrack.ts"

/** Collects what is erased. Nothing moves: an element becomes unused space of the same length. */
export const makeErasing = (reader: ElementReader) => {
  const spans: Array<ByteSpan> = []
  const headers: Array<Erasure["headers"][number]> = []

  const erase = (element: Element): void => {
    const { contentOffset, end, hasLength, id, offset } = element
    if (!hasLength) throw new Error("An element has no length")
    if (id === voidId) {
      spans.push([contentOffset, end - contentOffset])
      return
    }
    const header = voidHeader(element)
    headers.push([offset, header])
    spans.push([offset + header.length, end - offset - header.length])
    requireFewErased(headers.length)
  }

  /** The element stays, with zeros in place of the given parts of its content. */
  const blank = ({ contentOffset }: Element, parts: ReadonlyArray<ByteSpan>): void => {
    for (const [offset, length] of parts) spans.push([contentOffset + offset, length])
  }

  /** Keeps a text up to its first zero. */
  const eraseAfterText = async (element: Element): Promise<void> => {
    const { length } = await readText(reader, element)
    blank(element, [[length, element.end - element.contentOffset - length]])
  }

  return { blank, erase, eraseAfterText, read: () => ({ headers, spans }) }
}
export type Erasing = ReturnType<typeof makeErasing>
