import { oneLine } from "../domain/oneLine.ts"

const maxSubject = 120

/** Headers can't have line breaks. */
export const subjectLine = (text: string): string => oneLine(text, maxSubject)
