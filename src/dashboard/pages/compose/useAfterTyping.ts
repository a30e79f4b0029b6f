import { useEffect } from "preact/hooks"
import { useConnected } from "../../api/connection.ts"

/**
 * Aborts the request when the inputs change. Offline, it waits and sends again, as a pending response may be lost.
 * @param delayMillis The pause in typing, in milliseconds.
 * @param ask Undefined if there is nothing to request.
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
