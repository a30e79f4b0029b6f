import { Result } from "effect"

const declarationLength = 2048

type Decoder = InstanceType<typeof TextDecoder>

const decoderFor = (label: string | undefined) =>
  label === undefined ? undefined : Result.getOrUndefined(Result.try(() => new TextDecoder(label)))

const declaredIn = (text: string): string | undefined => /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text)?.[1]

/** By the byte order mark, the Content-Type, the page's declaration, or else UTF-8. */
const pageDecoder = (start: Uint8Array, contentType: string): Decoder => {
  const [first, second, third] = start
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder()
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be")
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le")
  const declared = Buffer.from(start.subarray(0, declarationLength)).toString("latin1")
  return decoderFor(declaredIn(contentType)) ?? decoderFor(declaredIn(declared)) ?? new TextDecoder()
}

export interface PageText {
  /** The text that the bytes so far complete. Empty until the page's declaration can be read. */
  readonly add: (bytes: Uint8Array) => string
  readonly end: () => string
}

/** Decodes a page as it arrives. Invalid bytes become U+FFFD. */
export const makePageText = (contentType: string): PageText => {
  let start: Uint8Array = new Uint8Array()
  let decoder: Decoder | undefined
  const decode = (bytes: Uint8Array, stream: boolean) => {
    decoder ??= pageDecoder(bytes, contentType)
    return decoder.decode(bytes, { stream })
  }
  return {
    add: (bytes) => {
      if (decoder !== undefined) return decode(bytes, true)
      start = Buffer.concat([start, bytes])
      return start.length < declarationLength ? "" : decode(start, true)
    },
    end: () => decode(decoder === undefined ? start : new Uint8Array(), false)
  }
}
