import type { RefObject } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"

export const useClickCapture = (root: RefObject<HTMLElement | null>, onClick: (event: MouseEvent) => void) => {
  const latest = useRef(onClick)
  latest.current = onClick
  useLayoutEffect(() => {
    const element = root.current
    const see = (event: MouseEvent) => {
      latest.current(event)
    }
    element?.addEventListener("click", see, { capture: true })
    return () => {
      element?.removeEventListener("click", see, { capture: true })
    }
  }, [root])
}
