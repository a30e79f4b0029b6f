import { useEffect } from "preact/hooks"

/**
 * Asks the service something as soon as typing stops, and gives that up once something else is to be asked.
 *
 * @param delayMillis How long typing has to stop, in milliseconds.
 * @param ask Undefined where nothing is to be asked.
 * @param inputs What the question depends on.
 */
export const useAfterTyping = (
  delayMillis: number,
  ask: ((signal: AbortSignal) => Promise<void>) | undefined,
  inputs: ReadonlyArray<unknown>
) => {
  useEffect(() => {
    if (ask === undefined) return undefined
    const controller = new AbortController()
    const timer = setTimeout(() => {
      void ask(controller.signal)
    }, delayMillis)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, inputs)
}
