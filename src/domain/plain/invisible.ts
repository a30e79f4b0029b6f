/**
 * Invisible and direction-changing characters, which can make a name or tag look like another. U+200C, U+200D and
 * U+FE0F stay, because some scripts and emoji join characters with them, and so do flags of emoji.
 */
const invisible = /\p{RGI_Emoji}|(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gv

const isEmoji = /^\p{RGI_Emoji}$/v

export const withoutInvisible = (text: string): string =>
  text.replaceAll(invisible, (found) => (isEmoji.test(found) ? found : ""))

export const hasInvisible = (text: string): boolean => withoutInvisible(text) !== text
