import type { RefObject } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { lazily } from "../../shared/lazily.tsx"
import type { ChipCardProps } from "./late/ChipCard.tsx"

const ChipCard = lazily<ChipCardProps>("The post’s details", async () => (await import("./late/late.ts")).ChipCard)

/** Milliseconds that the pointer rests on a chip before its card appears, and that it may leave both. */
const restMillis = 350
const leaveMillis = 120

const chipAt = (target: EventTarget | null): HTMLElement | undefined =>
  target instanceof Element ? (target.closest<HTMLElement>(".calendar-chip") ?? undefined) : undefined

/** Shows a card for the chip that the pointer rests on, or that got the focus by a key. The caller renders it. */
export const useChipCard = (root: RefObject<HTMLElement | null>, find: (id: string) => PostJson | undefined) => {
  const [chip, setChip] = useState<HTMLElement>()
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const id = useId()
  const later = (next: HTMLElement | undefined, millis: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setChip(next), millis)
  }
  useLayoutEffect(() => {
    const element = root.current
    if (element === null) return
    const stopped = new AbortController()
    const { signal } = stopped
    const close = () => {
      clearTimeout(timer.current)
      setChip(undefined)
    }
    const enter = ({ pointerType, target }: PointerEvent) => {
      const over = chipAt(target)
      if (over !== undefined && pointerType === "mouse") later(over, restMillis)
    }
    const leave = ({ target }: PointerEvent) => {
      if (chipAt(target) !== undefined) later(undefined, leaveMillis)
    }
    const focus = ({ target }: FocusEvent) => {
      const focused = chipAt(target)
      if (focused?.matches(":focus-visible") === true) later(focused, leaveMillis)
      else close()
    }
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || element.querySelector(".calendar-card") === null) return
      close()
      event.stopPropagation()
    }
    element.addEventListener("pointerover", enter, { signal })
    element.addEventListener("pointerout", leave, { signal })
    element.addEventListener("focusin", focus, { signal })
    element.addEventListener("focusout", close, { signal })
    element.addEventListener("pointerdown", close, { signal })
    element.addEventListener("scroll", close, { signal, capture: true, passive: true })
    element.addEventListener("keydown", press, { signal })
    return () => {
      clearTimeout(timer.current)
      stopped.abort()
    }
  }, [root])
  const postId = chip?.isConnected === true ? chip.dataset["drag"] : undefined
  const post = postId === undefined ? undefined : find(postId)
  return chip === undefined || post === undefined ? null : (
    <ChipCard
      key={post.id}
      id={id}
      post={post}
      chip={chip}
      onEnter={() => clearTimeout(timer.current)}
      onLeave={() => later(undefined, leaveMillis)}
    />
  )
}
