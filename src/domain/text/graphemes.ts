const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" })

/** How many characters a reader sees: an emoji of many parts is one. */
export const countGraphemes = (text: string): number =>
  Iterator.from(segmenter.segment(text)).reduce((count) => count + 1, 0)
