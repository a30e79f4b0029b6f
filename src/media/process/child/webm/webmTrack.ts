import { encryptedVideo } from "../refusals.ts"
import { requireKnownCodec } from "./codecPrivate.ts"
import { type Element, type ElementReader, unsignedNumber } from "./elements.ts"
import { ids } from "./keptElements.ts"
import { makeTimes, type Times } from "./times.ts"

export interface WebmTrack {
  readonly number: number
  readonly codec: string
  readonly isPicture: boolean
  readonly hasAlpha: boolean
  readonly times: Times
}

const enabledId = 0xb9
const encodingsId = 0x6d80
const encodingId = 0x6240
const encodingTypeId = 0x5033
const encryptionId = 0x5035
const pictureType = 1
const soundType = 2

const longestNumber = 8

/** A text ends before its first zero. */
export const readText = async ({ readContent }: ElementReader, element: Element): Promise<string> =>
  (await readContent(element)).toString("latin1").replace(/\0[^]*$/, "")

export const readNumber = async ({ readStart }: ElementReader, element: Element): Promise<number> => {
  if (element.end - element.contentOffset > longestNumber) throw new Error("A number is too long")
  return unsignedNumber(await readStart(element, longestNumber))
}

const find = async (reader: ElementReader, parent: Element, id: number): Promise<Element | undefined> => {
  for await (const child of reader.childrenOf(parent)) if (child.id === id) return child
  return undefined
}

/** A child's number, or the default of one that is left out. */
export const numberIn = async (reader: ElementReader, parent: Element, id: number, otherwise: number) => {
  const child = await find(reader, parent, id)
  return child === undefined ? otherwise : readNumber(reader, child)
}

/** Players need a key for encrypted frames, and platforms have none. */
const requirePlain = async (reader: ElementReader, entry: Element): Promise<void> => {
  const encodings = await find(reader, entry, encodingsId)
  if (encodings === undefined) return
  for await (const encoding of reader.childrenOf(encodings)) {
    if (encoding.id !== encodingId) continue
    const isEncrypted = (await numberIn(reader, encoding, encodingTypeId, 0)) === 1
    if (isEncrypted || (await find(reader, encoding, encryptionId)) !== undefined) throw encryptedVideo
  }
}

/** Undefined for a track that is neither picture nor sound, or is turned off. Such a track is erased. */
export const readWebmTrack = async (reader: ElementReader, entry: Element): Promise<WebmTrack | undefined> => {
  const type = await numberIn(reader, entry, ids.trackType, 0)
  const isEnabled = (await numberIn(reader, entry, enabledId, 1)) !== 0
  if ((type !== pictureType && type !== soundType) || !isEnabled) return undefined
  const codecName = await find(reader, entry, ids.codec)
  const codec = codecName === undefined ? "" : await readText(reader, codecName)
  requireKnownCodec(codec)
  await requirePlain(reader, entry)
  const video = await find(reader, entry, ids.video)
  const defaultDuration = await numberIn(reader, entry, ids.defaultDuration, 0)
  return {
    number: await numberIn(reader, entry, ids.trackNumber, 0),
    codec,
    isPicture: type === pictureType,
    hasAlpha: video !== undefined && (await numberIn(reader, video, ids.alphaMode, 0)) === 1,
    times: makeTimes(defaultDuration / 1e9)
  }
}
