import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Failure } from "../../api/errors.ts"
import { move } from "../../shared/actions/openers.ts"
import { withLateStyles } from "../../shared/lateStyles.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import type { PostView } from "../post/PostView.tsx"

export interface PostPanelProps {
  readonly id: string
  readonly takesFocus: boolean
  readonly onClose: () => void
  readonly onMove: (() => void) | undefined
}

let loaded: typeof PostView | undefined

/** Loads the view's code at first use, because it is larger than the calendar's. */
const usePostView = () => {
  const [View, setView] = useState(() => loaded)
  const [error, setError] = useState<Failure>()
  useEffect(() => {
    if (loaded !== undefined) return
    const load = async () => {
      try {
        const code = await withLateStyles(import("../post/PostView.tsx"))
        loaded = code.PostView
        setView(() => code.PostView)
      } catch {
        setError({ _tag: "ConnectionError" })
      }
    }
    void load()
  }, [])
  return { View, error }
}

const Opening = ({ error, onClose }: { readonly error: Failure | undefined; readonly onClose: () => void }) => (
  <>
    <header class="calendar-panel-head">
      <h2>Post</h2>
      <IconButton icon="close" label="Close" onClick={onClose} />
    </header>
    {error === undefined ? (
      <>
        <Loading />
        <Skeleton lines={2} />
        <Skeleton lines={2} height="card" />
      </>
    ) : (
      <LoadError error={error} onRetry={() => window.location.reload()} />
    )}
  </>
)

export const PostPanel = ({ id, onClose, onMove, takesFocus }: PostPanelProps) => {
  const { View, error } = usePostView()
  const panel = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    if (takesFocus) panel.current?.focus({ preventScroll: true })
  }, [takesFocus])
  return (
    <aside ref={panel} class="calendar-panel" aria-label="Post" tabIndex={-1}>
      {View === undefined ? <Opening error={error} onClose={onClose} /> : <View id={id} onClose={onClose} />}
      {onMove !== undefined && (
        <footer class="calendar-panel-foot">
          <Button icon={move.icon} onClick={onMove}>
            {move.label}
          </Button>
        </footer>
      )}
    </aside>
  )
}
