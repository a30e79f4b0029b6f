import type { ComponentChildren } from "preact"
import { classes } from "../classes.ts"
import { Icon, type IconName } from "../Icon.tsx"

export interface ChipProps {
  readonly icon?: IconName
  readonly children: ComponentChildren
  /** Makes it a button, which can be on or off. */
  readonly pressed?: boolean
  readonly onClick?: () => void
  /** Adds a button that takes it away, named so. */
  readonly removeLabel?: string
  readonly onRemove?: () => void
}

/** A small fact, a filter that is on or off, or something that can be taken away. */
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
