import { Icon } from "../../ui/Icon.tsx"
import { useUnsaved } from "./unsaved.ts"

/** Marks a post with changes that only this browser has. */
export const UnsavedMark = ({ id }: { readonly id: string }) =>
  useUnsaved().has(id) ? (
    <span class="unsaved-mark status-unknown" title="Unsaved changes">
      <Icon name="warning" size={12} />
      <span class="only-read">, unsaved changes</span>
    </span>
  ) : null
