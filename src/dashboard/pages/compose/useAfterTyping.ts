import { useEffect } from "preact/hooks"
import { useConnected } from "../../api/connection.ts"

/**
 * Asks the service something as soon as typing stops, and gives that up once something else is to be asked. Waits while the
 * service can't be reached, and asks again when it can: what was on its way may have been lost.
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
  const isConnected = useConnected()
  useEffect(() => {
    if (ask === undefined || !isConnected) return undefined
    const controller = new AbortController()
    const timer = setTimeout(() => {
      void ask(controller.signal)
    }, delayMillis)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [...inputs, isConnected])
}
