import { describeWait } from "../api/errors.ts"
import { pausedUntil } from "../api/pause.ts"
import { useStore } from "../store/useStore.ts"
import { Icon } from "../ui/Icon.tsx"
import { useCountdown } from "../ui/time/useCountdown.ts"

export const PauseBar = () => {
  const until = useStore(pausedUntil)
  const wait = useCountdown(until ?? undefined)
  if (until === null) return null
  return (
    <div class="notice" role="status">
      <Icon name="warning" />
      <span>
        Too many requests. This page continues by itself
        {/* Hidden from screen readers, which would read it every second. */}
        <span class="numbers" aria-hidden>
          {" "}
          in {describeWait(Math.max(1, wait))}
        </span>
        . What you type is kept.
      </span>
    </div>
  )
}
