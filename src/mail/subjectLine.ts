const maxSubject = 120

/** Headers can't have line breaks, and a subject is one line. */
export const subjectLine = (text: string): string => {
  const line = Array.from(text.replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim())
  return line.length <= maxSubject ? line.join("") : `${line.slice(0, maxSubject - 1).join("")}…`
}
