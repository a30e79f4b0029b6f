import type { ComponentChildren } from "preact"
import { Link } from "../router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"

interface UnsavedNoteProps {
  readonly children: ComponentChildren
  /** The address of the composer. */
  readonly href: string
  readonly onDiscard: () => void
}

/** Leads back to a text that only this browser has. */
export const UnsavedNote = ({ children, href, onDiscard }: UnsavedNoteProps) => (
  <div class="unsaved-note status-unknown" role="note" aria-label="Unsaved changes">
    <Icon name="warning" />
    <p>{children}</p>
    <span class="unsaved-steps">
      <Button size="small" kind="quiet" onClick={onDiscard}>
        Discard
      </Button>
      <Link class="button button-secondary button-small" href={href}>
        Continue
      </Link>
    </span>
  </div>
)
