import { useEffect } from "preact/hooks"
import { useConnected } from "../../api/connection.ts"

/**
 * Sends a request once typing pauses, and aborts it if the inputs change. When the connection returns, sends it again,
 * because its response may be lost.
 * @param delayMillis The length of the pause.
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
    const timer = setTimeout(() => void ask(controller.signal), delayMillis)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [...inputs, isConnected])
}
