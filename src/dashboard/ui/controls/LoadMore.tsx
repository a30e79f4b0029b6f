import { useEffect, useRef } from "preact/hooks"
import { Button } from "./Button.tsx"

export interface LoadMoreProps {
  readonly isLoading: boolean
  readonly onMore: () => void
}

/** Loads more near the view, or on a click if the script can't detect that. */
export const LoadMore = ({ isLoading, onMore }: LoadMoreProps) => {
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
    return () => {
      observer.disconnect()
    }
  }, [isLoading])
  return (
    <div ref={element} class="load-more">
      <Button kind="quiet" busy={isLoading} onClick={onMore}>
        Show more
      </Button>
    </div>
  )
}
