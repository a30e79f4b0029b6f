import { useState } from "preact/hooks"
import { longOutlook, outlook } from "../../api/outlook.ts"
import { readData, reload, useQuery } from "../../api/query.ts"
import { toast } from "../../ui/dialogs/Toasts.tsx"

/** The service returns a check of a moment ago instead of making another. */
const sayRemembered = () =>
  toast("These posts were checked a moment ago. Check again in half a minute.", { about: "outlook" })

export const useUpcoming = () => {
  const [isLong, setLong] = useState(false)
  const [isChecking, setChecking] = useState(false)
  const shown = isLong ? longOutlook : outlook
  const loaded = useQuery(shown)
  // The short list stays in view while the long one loads.
  const short = readData(outlook)
  const data = (loaded.data ?? short)?.data
  const check = async () => {
    const before = readData(shown)?.data.checked_at
    setChecking(true)
    await reload(shown)
    setChecking(false)
    if (before !== undefined && readData(shown)?.data.checked_at === before) sayRemembered()
  }
  return {
    data,
    error: loaded.error,
    isLoading: data === undefined && loaded.isLoading,
    refetch: loaded.refetch,
    isChecking,
    checkAgain: () => void check(),
    isLoadingMore: isLong && loaded.isLoading,
    /** Undefined if all posts that the service can list are shown. */
    showMore: !isLong && data !== undefined && data.left_out > 0 ? () => setLong(true) : undefined
  }
}

export type Upcoming = ReturnType<typeof useUpcoming>
