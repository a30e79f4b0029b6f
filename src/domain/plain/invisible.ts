import { isBlank } from "./blankText.ts"

/** Letters and marks of scripts in which U+200C and U+200D decide how letters join. */
const joining = "Arab Syrc Mong Nkoo Mand Rohg Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt"
  .split(" ")
  .map((name) => `\\p{scx=${name}}`)
  .join("")

/** Characters that stay although they are invisible alone: in emoji, such as flags, and in scripts that join. */
const kept = [
  "\\p{RGI_Emoji}",
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])\\ufe0f",
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic})",
  `(?<=[[${joining}]&&[\\p{L}\\p{M}]])[\\u200c\\u200d]`
].join("|")

/** Invisible and direction-changing characters, which can make a name or tag look like another. */
const invisible = new RegExp(`(?<kept>${kept})|[\\p{Cf}\\p{Default_Ignorable_Code_Point}]`, "gv")

export const withoutInvisible = (text: string): string => text.replaceAll(invisible, "$<kept>")

export const hasInvisible = (text: string): boolean => withoutInvisible(text) !== text

/** False for a text of spaces and invisible characters, to which the empty pattern of Braille belongs. */
export const isVisible = (text: string): boolean => !isBlank(text.replaceAll("\u2800", ""))
