import type { ComponentChildren } from "preact"
import { classes } from "../classes.ts"
import { Icon, type IconName } from "../Icon.tsx"

export interface ChipProps {
  readonly icon?: IconName
  readonly children: ComponentChildren
  /** Set to make the chip a toggle button. */
  readonly pressed?: boolean
  readonly onClick?: () => void
  /** Adds a button with this name, which removes the chip. */
  readonly removeLabel?: string
  readonly onRemove?: () => void
}

export const Chip = ({ children, icon, onClick, onRemove, pressed, removeLabel }: ChipProps) => {
  const content = (
    <>
      {icon !== undefined && <Icon name={icon} size={14} />}
      <span class="truncate">{children}</span>
    </>
  )
  if (onClick !== undefined) {
    return (
      <button type="button" class={classes("chip", "chip-button")} aria-pressed={pressed} onClick={onClick}>
        {content}
      </button>
    )
  }
  return (
    <span class={classes("chip", onRemove !== undefined && "chip-removable")}>
      {content}
      {onRemove !== undefined && (
        <button type="button" class="chip-remove" aria-label={removeLabel ?? "Remove"} onClick={onRemove}>
          <Icon name="close" size={12} />
        </button>
      )}
    </span>
  )
}
