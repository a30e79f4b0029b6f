import { type ByteSpan, Refusal } from "../protocol.ts"
import { damaged } from "../refusals.ts"
import type { Blocks } from "./blocks.ts"
import { unusedSpans } from "./codecPrivate.ts"
import type { Element, ElementReader } from "./elements.ts"
import type { Erasing } from "./erasing.ts"
import { type Holder, ids, type Kept, keptElements, keptParts, repeated, topIds } from "./keptElements.ts"
import { numberIn, readNumber, type WebmTrack } from "./webmTrack.ts"

const framesFirst = damaged("no track of picture or sound is described before its frames; export it again as MP4")
const severalVideos = "The file has more than one video"

/** A sphere's bounds. A longer description is a mesh of its own. */
const longestShort = 20

const seekElement = 0x4dbb
const additionElement = 0xa6

interface Parts {
  readonly reader: ElementReader
  readonly erasing: Erasing
  readonly blocks: Blocks
}

const whole = ({ contentOffset, end }: Element): ReadonlyArray<ByteSpan> => [[0, end - contentOffset]]

const requireLength = ({ hasLength }: Element): void => {
  if (!hasLength) throw new Error("An element has no length")
}

/** True if an element that may stay must go, because of what is in it. */
const isUnused = async (reader: ElementReader, element: Element, track: WebmTrack | undefined): Promise<boolean> => {
  if (element.id === seekElement) return !keptParts.has(await numberIn(reader, element, ids.seekId, 0))
  // Beside transparency, there are additions with places, HDR and subtitles.
  return (
    element.id === additionElement &&
    (track?.hasAlpha !== true || (await numberIn(reader, element, ids.blockAddId, 1)) !== 1)
  )
}

const keepLeaf = async (
  { blocks, erasing, reader }: Parts,
  kind: Exclude<Kept, object>,
  element: Element,
  track: WebmTrack | undefined
): Promise<void> => {
  switch (kind) {
    case "number":
      return blocks.noteNumber(element.id, await readNumber(reader, element))
    case "name":
      return erasing.eraseAfterText(element)
    case "blank":
      return erasing.blank(element, whole(element))
    case "private":
      return erasing.blank(element, unusedSpans(track?.codec ?? "", await reader.readContent(element)))
    case "short":
      return element.end - element.contentOffset > longestShort ? erasing.erase(element) : undefined
    case "simpleBlock":
      return (await blocks.addBlock(element)) === undefined ? erasing.erase(element) : undefined
    case "played":
      return undefined
  }
}

/** Walks through a WebM file: erases what no player needs, and reads its tracks and blocks. */
export const makeWalk = (parts: Parts) => {
  const { blocks, erasing, reader } = parts

  /** The track that a master element is about: its own, or the parent's. */
  const enter = async (holder: Holder, element: Element, outer: WebmTrack | undefined) => {
    if (holder === "group") return blocks.addGroup(element)
    return holder === "track" ? blocks.addTrack(element) : outer
  }

  /** Returns the end of the element. */
  const visit = async (kept: Kept | undefined, element: Element, outer: WebmTrack | undefined): Promise<number> => {
    if (kept === undefined || (await isUnused(reader, element, outer))) {
      erasing.erase(element)
      return element.end
    }
    if (typeof kept === "string") {
      requireLength(element)
      await keepLeaf(parts, kept, element, outer)
      return element.end
    }
    const { holds } = kept
    if (holds !== "segment" && holds !== "cluster") requireLength(element)
    if (holds === "cluster" && blocks.read().tracks.size === 0) throw framesFirst
    const track = await enter(holds, element, outer)
    if (track === undefined && (holds === "track" || holds === "group")) {
      erasing.erase(element)
      return element.end
    }
    return walk(holds, element, track)
  }

  /** Returns the end of the last child, which is the end of an element without a length. */
  const walk = async (holder: Holder, parent: Element, track?: WebmTrack): Promise<number> => {
    const seen = new Set<number>()
    let offset = parent.contentOffset
    while (offset < parent.end) {
      const element = await reader.readElement(offset, parent.end)
      const { id } = element
      if (id === ids.segment && seen.has(id)) throw new Refusal({ message: severalVideos })
      const endsParent = holder === "cluster" ? topIds.has(id) : id === ids.segment || id === ids.header
      if (!parent.hasLength && endsParent) return offset
      const isFirst = repeated.has(id) || !seen.has(id)
      seen.add(id)
      offset = await visit(isFirst ? keptElements[holder].get(id) : undefined, element, track)
    }
    return offset
  }
  return walk
}
