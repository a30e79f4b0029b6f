import { Result } from "effect"

const declarationLength = 2048

const decoderFor = (label: string | undefined) =>
  label === undefined ? undefined : Result.getOrUndefined(Result.try(() => new TextDecoder(label)))

const declaredIn = (text: string): string | undefined => /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text)?.[1]

/**
 * Decodes by the byte order mark, the Content-Type, the page's declaration, or else as UTF-8. Invalid bytes become
 * U+FFFD.
 */
export const pageText = (bytes: Uint8Array, contentType: string): string => {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder().decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes)
  const declared = Buffer.from(bytes.subarray(0, declarationLength)).toString("latin1")
  const decoder = decoderFor(declaredIn(contentType)) ?? decoderFor(declaredIn(declared)) ?? new TextDecoder()
  return decoder.decode(bytes)
}
