import { useLayoutEffect } from "preact/hooks"
import { onZoneRules } from "./zone.ts"

/**
 * A chosen time that is not stored yet keeps its wall time if the service's rules arrive later and differ from the
 * browser's.
 */
export const useChosenTime = (at: string | null, onChange: (at: string) => void) =>
  useLayoutEffect(() =>
    onZoneRules((correct) => {
      if (at !== null && correct(at) !== at) onChange(correct(at))
    })
  )
