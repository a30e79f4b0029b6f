import { Button } from "../ui/controls/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { shownZone } from "../ui/time/zone.ts"

/** Says that times follow the browser's rules, because the service's could not be loaded. */
export const ZoneBar = ({ retry }: { readonly retry: () => void }) => (
  <div class="notice" role="status">
    <Icon name="clock" />
    <span>
      The service’s rules for {shownZone()} can’t be loaded. Times follow this browser’s rules, which may be older.
    </span>
    <Button size="small" kind="quiet" onClick={retry}>
      Retry
    </Button>
  </div>
)
