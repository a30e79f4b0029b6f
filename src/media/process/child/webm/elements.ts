import type { FileHandle } from "node:fs/promises"
import { Refusal } from "../protocol.ts"
import { readBytes } from "../readBytes.ts"

/** An element of EBML (RFC 8794), with offsets in the file. */
export interface Element {
  readonly id: number
  readonly offset: number
  readonly contentOffset: number
  /** The parent's end if the length is unknown, as in a live recording. */
  readonly end: number
  readonly hasLength: boolean
}

/** Nested elements count. An hour of 60 frames a second with sound has 400,000. */
const maxElements = 2_000_000

const maxContentBytes = 1_000_000

const windowLength = 32 * 1024

/** The longest id and the longest length. */
const longestHeader = 12

const tooManyElements = `The video has more than ${maxElements} elements`
const tooLongContent = `The video has a description of more than ${maxContentBytes / 1e6} MB`

const cutOff = "The elements don't fill what holds them"

/** The number of bytes, by the zeros in front. 9 if there is none within the first byte. */
const widthOf = (first: number): number => Math.clz32(first) - 23

/** Undefined for an unknown length, whose digits are all ones. */
const readLength = (bytes: Uint8Array, width: number): number | undefined => {
  let value = (bytes[0] ?? 0) & (0xff >> width)
  let isUnknown = value === 0xff >> width
  for (const byte of bytes.subarray(1, width)) {
    value = value * 256 + byte
    isUnknown &&= byte === 0xff
  }
  return isUnknown ? undefined : value
}

export const unsignedNumber = (bytes: Uint8Array): number => bytes.reduce((value, byte) => value * 256 + byte, 0)

/** A number in front of a block, coded like a length. */
export const readVariable = (bytes: Uint8Array): { readonly value: number; readonly width: number } => {
  const width = widthOf(bytes[0] ?? 0)
  if (width > 8 || bytes.length < width) throw new Error("A block is cut off")
  return { value: readLength(bytes, width) ?? 0, width }
}

/** Reads fail if elements do not fill their parent, or the file ends within one. */
export const makeElementReader = (file: FileHandle) => {
  const window = Buffer.alloc(windowLength)
  let start = 0
  let end = 0
  let count = 0

  /** Fewer bytes at the file's end. At most `windowLength`. */
  const readAt = async (offset: number, length: number): Promise<Buffer> => {
    if (offset < start || offset + length > end) {
      const { bytesRead } = await file.read(window, 0, windowLength, offset)
      start = offset
      end = offset + bytesRead
    }
    return window.subarray(offset - start, Math.min(offset + length, end) - start)
  }

  const readElement = async (offset: number, parentEnd: number): Promise<Element> => {
    if (++count > maxElements) throw new Refusal({ message: tooManyElements })
    const bytes = await readAt(offset, Math.min(longestHeader, parentEnd - offset))
    const idWidth = widthOf(bytes[0] ?? 0)
    const width = widthOf(bytes[idWidth] ?? 0)
    if (idWidth > 4 || width > 8 || idWidth + width > bytes.length) throw new Error(cutOff)
    const length = readLength(bytes.subarray(idWidth), width)
    const contentOffset = offset + idWidth + width
    const elementEnd = length === undefined ? parentEnd : contentOffset + length
    if (elementEnd > parentEnd) throw new Error(cutOff)
    const id = unsignedNumber(bytes.subarray(0, idWidth))
    return { id, offset, contentOffset, end: elementEnd, hasLength: length !== undefined }
  }

  const childrenOf = async function* ({ contentOffset, end: parentEnd }: Element): AsyncGenerator<Element> {
    let offset = contentOffset
    while (offset < parentEnd) {
      const child = await readElement(offset, parentEnd)
      yield child
      offset = child.end
    }
  }

  const readContent = async ({ contentOffset, end: contentEnd }: Element): Promise<Buffer> => {
    if (contentEnd - contentOffset > maxContentBytes) throw new Refusal({ message: tooLongContent })
    return readBytes(file, contentOffset, contentEnd)
  }

  const readStart = ({ contentOffset, end: contentEnd }: Element, length: number): Promise<Buffer> =>
    readAt(contentOffset, Math.min(length, contentEnd - contentOffset))

  return { readElement, childrenOf, readContent, readStart }
}
export type ElementReader = ReturnType<typeof makeElementReader>

export const voidId = 0xec

/**
 * The header that turns an element into an unused one (Void) of the same length. A header is longer than the longest
 * length by at most three bytes, which then count as content.
 */
export const voidHeader = ({ contentOffset, end, offset }: Element): Uint8Array => {
  const width = Math.min(8, contentOffset - offset - 1)
  const header = Buffer.alloc(1 + width)
  header[0] = voidId
  let length = end - offset - header.length
  for (let at = width; at >= 1; at--) {
    header[at] = length % 256
    length = Math.floor(length / 256)
  }
  header[1] = (header[1] ?? 0) | (0x80 >> (width - 1))
  return header
}
