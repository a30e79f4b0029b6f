import { withoutInvisible } from "./plain/invisible.ts"

/**
 * People's text as one line of at most `most` characters. It has no line breaks and control characters, because they
 * can mean something to a mail server or a chat program. It also has no invisible characters and none that change the
 * direction of what follows.
 */
export const oneLine = (text: string, most: number): string => {
  const line = Array.from(
    withoutInvisible(text)
      .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
      .trim()
  )
  return line.length <= most ? line.join("") : `${line.slice(0, most - 1).join("")}…`
}
