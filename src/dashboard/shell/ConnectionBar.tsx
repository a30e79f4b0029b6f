import { useEffect } from "preact/hooks"
import { useConnected } from "../api/connection.ts"
import { refetchAll } from "../api/query.ts"
import { Button } from "../ui/controls/Button.tsx"
import { Icon } from "../ui/Icon.tsx"

/** In milliseconds. */
const retryMillis = 5000

export const ConnectionBar = () => {
  const isConnected = useConnected()
  useEffect(() => {
    if (isConnected) return
    const timer = setInterval(refetchAll, retryMillis)
    return () => clearInterval(timer)
  }, [isConnected])
  if (isConnected) return null
  return (
    <div class="notice connection" role="status">
      <Icon name="warning" />
      <span>The service can’t be reached. What you type is kept.</span>
      <Button size="small" kind="quiet" onClick={refetchAll}>
        Retry
      </Button>
    </div>
  )
}
