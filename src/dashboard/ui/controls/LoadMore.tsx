import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "./Button.tsx"

export const LoadMore = ({ isLoading, onMore }: { readonly isLoading: boolean; readonly onMore: () => void }) => {
  const element = useRef<HTMLDivElement>(null)
  const more = useRef(onMore)
  more.current = onMore
  useEffect(() => {
    if (element.current === null || isLoading) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more.current()
      },
      { rootMargin: "400px" }
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isLoading])
  return (
    <div ref={element} class="load-more">
      <Button kind="quiet" busy={isLoading} onClick={onMore}>
        Show more
      </Button>
    </div>
  )
}

/** Items drawn at first, and added each time the end is near. */
const step = 40

/** The number of items to draw. Begins again if `of` changes. */
export const useDrawn = (of: unknown) => {
  const [count, setCount] = useState(step)
  useEffect(() => {
    setCount(step)
  }, [of])
  return {
    count,
    drawMore: () => setCount(count + step)
  }
}
