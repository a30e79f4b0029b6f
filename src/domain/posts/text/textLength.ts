const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" })

/** Visible characters: an emoji of many code points is one grapheme. Found lazily. */
export const graphemesOf = (text: string): IteratorObject<Intl.SegmentData, undefined> =>
  Iterator.from(segmenter.segment(text))

/** In ASCII, each character is one byte in UTF-8, and one grapheme except in CR LF. */
export const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

export const countGraphemes = (text: string): number =>
  isAscii(text) && !text.includes("\r") ? text.length : graphemesOf(text).reduce((count) => count + 1, 0)

const encoder = new TextEncoder()

export const byteLength = (text: string): number => (isAscii(text) ? text.length : encoder.encode(text).byteLength)
