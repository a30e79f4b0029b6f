const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" })

/** Counts what a reader sees as characters: an emoji of many code points is one grapheme. */
export const countGraphemes = (text: string): number =>
  Iterator.from(segmenter.segment(text)).reduce((count) => count + 1, 0)

const encoder = new TextEncoder()

/** The length in UTF-8. */
export const byteLength = (text: string): number => encoder.encode(text).byteLength
