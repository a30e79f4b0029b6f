/**
 * Answers each question, a JSON text, from the process that started this script. Exits when that process disconnects. A
 * failed answer ends the script.
 */
export const answerParent = (answer: (question: string) => Promise<object>): void => {
  process.on("message", (question: string) => {
    void answer(question).then((message) => process.send?.(message))
  })
  process.once("disconnect", () => process.exit())
  process.send?.("ready")
}

/** The time in milliseconds since 1970, with a fraction. */
export const now = (): number => performance.timeOrigin + performance.now()
