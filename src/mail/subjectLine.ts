import { withoutInvisible } from "../domain/plain/invisible.ts"

const maxSubject = 120

/** Headers can't have line breaks, and a subject is one line, in the order in which it was written. */
export const subjectLine = (text: string): string => {
  const line = Array.from(
    withoutInvisible(text)
      .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
      .trim()
  )
  return line.length <= maxSubject ? line.join("") : `${line.slice(0, maxSubject - 1).join("")}…`
}
